// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaPolicy

/// Whether a publisher's video is sent, and what the app is notified of.
///
/// Pure: inputs in, events out. Tells nothing twice in a row.
struct PublisherVideoState {
    private var publishesVideo: Bool
    /// `nil`: video never gives way.
    private var fallback: AudioFallback?
    /// What the least video and the audio take, bps.
    private let needed: Double
    private var isOff: Bool
    private var isWarned = false

    /// - Parameter smallestLayer: The bitrate that the smallest layer is configured to, bps; `nil` without a
    ///   bound.
    init(publishesVideo: Bool, audioFallback: AudioFallbackSettings?, smallestLayer: Double?) {
        self.publishesVideo = publishesVideo
        fallback = audioFallback.map { AudioFallback(rules: $0.publisher) }
        let settings = audioFallback ?? AudioFallbackSettings()
        needed =
            min(smallestLayer ?? .infinity, settings.publisherVideoBitrate) + settings.publisherAudioBitrate
        isOff = !publishesVideo
    }

    /// Fallback has switched the video off, which no one else has.
    var isOffByFallback: Bool { publishesVideo && fallback?.state == .off }

    /// The rate to probe the uplink at, bps; `nil` while no probe is needed.
    ///
    /// Somewhat more than brings the video back: a probe measures less than it sends.
    var probe: Double? {
        guard let fallback, isOffByFallback else { return nil }
        return needed * (1 + max(0, fallback.rules.spare)) * 1.2
    }

    /// The app switched its video on or off.
    mutating func changed(publishesVideo: Bool) -> [PublisherLifeEvent] {
        self.publishesVideo = publishesVideo
        if !publishesVideo { fallback?.rest() }
        return update(.publisherPropertyChanged)
    }

    /// A tick's estimate of the uplink, bps; `nil` if there is none.
    mutating func measured(estimate: Double?, at now: Duration) -> [PublisherLifeEvent] {
        guard publishesVideo else { return [] }
        fallback?.handle(estimate: estimate, needed: needed, at: now)
        return update(.qualityChanged)
    }

    private mutating func update(_ cause: VideoEventReason) -> [PublisherLifeEvent] {
        let (wasOff, wasWarned) = (isOff, isWarned)
        isOff = !publishesVideo || fallback?.state == .off
        isWarned = !isOff && fallback?.state == .warned
        if isOff != wasOff { return [isOff ? .videoDisabled(cause) : .videoEnabled(cause)] }
        if isWarned != wasWarned, !isOff {
            return [isWarned ? .videoDisableWarning : .videoDisableWarningLifted]
        }
        return []
    }
}
