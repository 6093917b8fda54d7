// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaPolicy

/// Where a subscription stands, and what the app is notified of.
///
/// Pure: inputs in, events out. Tells nothing twice in a row.
struct SubscriptionState: Equatable {
    /// What keeps media from arriving.
    enum Obstacle: Hashable {
        /// There is no path to the other end.
        case path
        /// The other end is gone.
        case otherEnd
        /// Nothing arrives although it should.
        case silence
    }

    /// Who has switched the video off; no one when it is on.
    private enum Off: Equatable {
        case publisher, publisherFallback, subscriber, quality, codec

        var reason: VideoEventReason {
            switch self {
            case .publisher: .publisherPropertyChanged
            case .subscriber: .subscriberPropertyChanged
            case .publisherFallback, .quality: .qualityChanged
            case .codec: .codecNotSupported
            }
        }
    }

    /// Whether media has ever arrived.
    private var hasBegun = false
    private var obstacles: Set<Obstacle> = []
    private var off: Off?
    private var publisherHasVideo: Bool
    private var isPublisherFallback = false
    private var subscribesToVideo: Bool
    private var fallback = FallbackState.on
    private var isWarned = false
    private var hasVideoCodec = true

    init(publisherHasVideo: Bool, subscribesToVideo: Bool) {
        self.publisherHasVideo = publisherHasVideo
        self.subscribesToVideo = subscribesToVideo
        off = present
    }

    /// Whether video is expected: both sides want it and neither has switched it off.
    var expectsVideo: Bool { off == nil }

    /// A frame was decoded.
    mutating func videoArrived() -> [SubscriberLifeEvent] { begin() + cleared(.silence) }

    /// Audio has arrived; it counts as the stream only if no video is expected.
    mutating func audioArrived() -> [SubscriberLifeEvent] { expectsVideo ? [] : begin() }

    /// Media does not arrive any more.
    mutating func broke(_ obstacle: Obstacle) -> [SubscriberLifeEvent] {
        let isFirst = obstacles.isEmpty
        obstacles.insert(obstacle)
        return hasBegun && isFirst ? [.didDisconnectFromStream] : []
    }

    /// What kept media from arriving is gone.
    mutating func cleared(_ obstacle: Obstacle) -> [SubscriberLifeEvent] {
        guard obstacles.remove(obstacle) != nil, obstacles.isEmpty, hasBegun else { return [] }
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

    /// The server's facts say whether fallback has video off; they repeat what its event said, should that be
    /// lost.
    mutating func fallbackReported(isOff: Bool) -> [SubscriberLifeEvent] {
        guard isOff != (fallback == .off) else { return [] }
        return fallbackChanged(to: isOff ? .off : .on)
    }

    /// Both ends have agreed on a codec for the video, or have none in common.
    mutating func negotiated(hasVideoCodec: Bool) -> [SubscriberLifeEvent] {
        self.hasVideoCodec = hasVideoCodec
        return update(.codecNotSupported)
    }

    private mutating func begin() -> [SubscriberLifeEvent] {
        guard !hasBegun else { return [] }
        hasBegun = true
        // Earlier obstacles are gone.
        obstacles = []
        return [.didConnectToStream]
    }

    private var present: Off? {
        if !publisherHasVideo { return isPublisherFallback ? .publisherFallback : .publisher }
        if !subscribesToVideo { return .subscriber }
        if !hasVideoCodec { return .codec }
        return fallback == .off ? .quality : nil
    }

    private mutating func update(_ cause: VideoEventReason) -> [SubscriberLifeEvent] {
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
