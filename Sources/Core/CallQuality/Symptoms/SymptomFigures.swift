// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The figures of one tick in which a stream's symptoms show; `nil` is what no one measured.
struct SymptomFigures: Sendable {
    /// The expected media.
    enum Expectation: Sendable {
        /// Nothing: it is off, or muted.
        case nothing
        /// Something, with pauses: silence that is not sent, a screen that does not change.
        case pauses
        /// Something all the time.
        case media
    }

    /// The figures that both media have.
    struct Medium: Sendable {
        /// `nil` while no one knows.
        var expectation: Expectation?
        /// Headers included, in bps.
        var bitrate: Double?
        var fractionLost: Double?
        /// Seconds.
        var roundTripTime: Double?
        /// Seconds.
        var jitter: Double?
    }

    var time: Double
    /// When the tick began; `nil` if that is not known.
    var begin: Double?
    /// Whether ICE is connected.
    var isConnected: Bool?
    /// Whether it no longer does, in a call that was established.
    var isDisconnected: Bool?
    /// Estimate divided by demand; no matter how low, it is enough while bandwidth is not the cause.
    var coverage: Double?
    var audio = Medium()
    var video = Medium()

    var audioLevel: Double?
    /// Whether the audio that is sent is muted; `nil` while no one knows.
    var isMuted: Bool?
    /// How far received audio is ahead of its video, in seconds.
    var avSync: Double?
    /// Whether no one has said that for long.
    var isSyncUnknown = false
    /// Standard deviation of the level over the rule's time.
    var levelDeviation: Double?
    var opinionScore: Double?
    var concealment: Double?
    var outputVolume: Double?

    /// Share of the time that encoding took.
    var encodingShare: Double?
    /// Share of it that encoding all frames that are due would have taken.
    var encodingNeed: Double?
    /// Whether size or frames were given up for want of time to encode them.
    var isReducedForCPU = false
    /// Whether the engine calls its encoder limited by the processor.
    var isCalledCPULimited = false
    /// Whether the engine does not say what limits its encoder, which sent all of its source before, and the network does not.
    var isLimitationUnknown = false
    /// Whether it sends frames of half the size that it gets, or half as many.
    var isHalved = false
    /// Whether frames are skipped, and not for want of bandwidth.
    var skipsFrames = false
    /// Whether far fewer frames are encoded than were, and some are skipped of those that come, not for want of bandwidth.
    ///
    /// A device that has no time for its encoder has none for its camera either, which then gives fewer.
    var isSlowed = false
    /// Share of the time that decoding took, while it can be blamed on the decoder.
    var decodingShare: Double?
    /// Captured frames as a share of the wanted ones.
    var captureShare: Double?
    /// How long a frame has been due, in seconds; `nil` if none is.
    var frameDueFor: Double?

    /// What does not depend on the role.
    init(_ tick: Tick, _ path: PathDelta, _ verdict: DirectionVerdict) {
        time = tick.time
        begin = tick.previous
        isConnected = path.isConnected
        let isBandwidthLimited = verdict.cause == .bandwidth && !verdict.isRecovering
        coverage =
            isBandwidthLimited ? verdict.coverage : verdict.coverage.map { _ in .greatestFiniteMagnitude }
    }
}

extension SymptomFigures {
    /// Whether nothing is expected at all.
    var isOff: Bool { audio.expectation == .nothing && video.expectation == .nothing }

    /// A sample of audio and video together: of a camera's, and of nothing while one of both is off.
    func whileSynchronized(_ sample: SymptomSample) -> SymptomSample {
        audio.whileOn(video.whileSteady(isSyncUnknown ? .notApplicable : sample))
    }
}

extension SymptomFigures.Medium {
    /// A sample of what a medium that is off has no figures of: what was wrong with it is over then.
    func unlessOff(_ sample: SymptomSample) -> SymptomSample {
        expectation == .nothing ? .notApplicable : sample
    }

    /// A sample of what should be there, if only now and then.
    func whileOn(_ sample: SymptomSample) -> SymptomSample {
        switch expectation {
        case nil: .none
        case .nothing: .notApplicable
        case .pauses, .media: sample
        }
    }

    /// A sample of what should be there all the time.
    func whileSteady(_ sample: SymptomSample) -> SymptomSample {
        switch expectation {
        case nil: .none
        case .nothing, .pauses: .notApplicable
        case .media: sample
        }
    }
}
