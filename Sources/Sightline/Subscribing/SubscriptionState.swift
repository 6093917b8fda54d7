// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import FallbackRules

/// Where a subscription stands, and what the app is told of it.
///
/// Pure: inputs in, events out. Tells nothing twice in a row.
struct SubscriptionState: Equatable {
    private enum Phase: Equatable {
        /// No media has arrived yet.
        case waiting
        case flowing
        case broken
    }

    /// Who has switched the video off; nobody when it is on.
    private enum Off: Equatable {
        case publisher, publisherFallback, subscriber, quality

        var reason: SubscriberVideoEventReason {
            switch self {
            case .publisher: .publisherPropertyChanged
            case .subscriber: .subscriberPropertyChanged
            case .publisherFallback, .quality: .qualityChanged
            }
        }
    }

    private var phase = Phase.waiting
    private var off: Off?
    private var publisherHasVideo: Bool
    private var isPublisherFallback = false
    private var subscribesToVideo: Bool
    private var fallback = FallbackState.on
    private var isWarned = false

    init(publisherHasVideo: Bool, subscribesToVideo: Bool) {
        self.publisherHasVideo = publisherHasVideo
        self.subscribesToVideo = subscribesToVideo
        off = present
    }

    /// Whether pictures are due: everybody wants them and nobody has switched them off.
    var expectsVideo: Bool { off == nil }

    /// A picture was decoded.
    mutating func pictureArrived() -> [SubscriberLifeEvent] { arrive() }

    /// Sound has arrived; it counts as the stream only if no pictures are due.
    mutating func soundArrived() -> [SubscriberLifeEvent] { expectsVideo ? [] : arrive() }

    /// The path broke.
    mutating func broke() -> [SubscriberLifeEvent] {
        guard phase == .flowing else { return [] }
        phase = .broken
        return [.didDisconnectFromStream]
    }

    /// The path came back.
    mutating func cameBack() -> [SubscriberLifeEvent] {
        guard phase == .broken else { return [] }
        phase = .flowing
        return [.didReconnectToStream]
    }

    /// The publisher switched its video on or off.
    ///
    /// - Parameter byFallback: Because its uplink does not carry video.
    mutating func publisherChanged(hasVideo: Bool, byFallback: Bool = false) -> [SubscriberLifeEvent] {
        let wasFallback = isPublisherFallback
        publisherHasVideo = hasVideo
        isPublisherFallback = !hasVideo && byFallback
        return update(wasFallback ? .qualityChanged : .publisherPropertyChanged)
    }

    /// The app switched video on or off.
    mutating func subscriberChanged(toVideo: Bool) -> [SubscriberLifeEvent] {
        subscribesToVideo = toVideo
        return update(.subscriberPropertyChanged)
    }

    /// The router makes video give way to audio, or no longer.
    mutating func fallbackChanged(to state: FallbackState) -> [SubscriberLifeEvent] {
        fallback = state
        return update(.qualityChanged)
    }

    /// The server's facts say whether fallback has video off; they repeat what its event said, should that be lost.
    mutating func fallbackReported(isOff: Bool) -> [SubscriberLifeEvent] {
        guard isOff != (fallback == .off) else { return [] }
        return fallbackChanged(to: isOff ? .off : .on)
    }

    private mutating func arrive() -> [SubscriberLifeEvent] {
        guard phase == .waiting else { return [] }
        phase = .flowing
        return [.didConnectToStream]
    }

    private var present: Off? {
        if !publisherHasVideo { return isPublisherFallback ? .publisherFallback : .publisher }
        if !subscribesToVideo { return .subscriber }
        return fallback == .off ? .quality : nil
    }

    private mutating func update(_ cause: SubscriberVideoEventReason) -> [SubscriberLifeEvent] {
        let before = off
        off = present
        let wasWarned = isWarned
        isWarned = off == nil && fallback == .warned
        if before == nil, let off { return [.videoDisabled(off.reason)] }
        if before != nil, off == nil {
            return [.videoEnabled(cause)] + (isWarned ? [.videoDisableWarning] : [])
        }
        if isWarned != wasWarned { return [isWarned ? .videoDisableWarning : .videoDisableWarningLifted] }
        return []
    }
}
