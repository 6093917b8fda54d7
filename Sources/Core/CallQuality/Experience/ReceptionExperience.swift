// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Follows what a person notices of a received stream.
struct ReceptionExperience: Sendable {
    /// What a tick brings.
    struct Input {
        var tick: Tick
        /// Share of this tick's audio that was audibly concealed; `nil` if unknown.
        var concealment: Double?
        /// Seconds of this tick in which video was frozen; `nil` if unknown.
        var frozen: Double?
        var freezes: UInt64?
        /// Key frames decoded; `nil` if unknown.
        var keyFrames: UInt64?
        /// Frames decoded; `nil` if unknown.
        var frames: Double?
        /// Whether all frames should come that the publisher makes: video is wanted, and nothing of it held back for the own path.
        var isAllDue = true
        /// Whether nothing is known to hold the publisher back.
        var isPublisherWell = true
        /// Frames per second that this end asks for; `nil` for all that there are.
        var wantedFrameRate: Double?
        var shown: VideoSize?
        /// What the leg's sender is to send and sends; `nil` if unknown.
        var leg: SenderMetrics?
        var wanted: LayerIntent?
        /// Whether it is a peer's encoder that makes the video: then it is as large as what limits that lets it be.
        var isPeers = false
        /// Payload of the video, in bps; `nil` if unknown.
        var bitrate: Double?
        /// Whether video is expected, and the own path has room for it.
        var hasRoom: Bool
        /// Jitter of the media, in seconds; `nil` if unknown.
        var jitter: (audio: Double?, video: Double?)
        var fractionLost: Double?
        /// Whether it stalls in the same moments as what others send, and so by the path that all of it takes.
        var stallsWithOthers = false
        /// Packets of audio that came, per second; `nil` if unknown.
        var audioPackets: Double?
        /// The delay that jitter alone makes the jitter buffer of audio aim at, in seconds; `nil` if unknown.
        var jitterBufferTarget: Double?
    }

    private let rules: ExperienceRules
    private var concealment = RecentShare()
    private var frozen = RecentShare()
    private var stalls: [Double] = []
    private var stalled = (concealment: RecentShare(), frozen: RecentShare())
    private var largest = 0.0
    private var reduced = Lasting()
    private var arrivals = PacketArrivals()
    private var recurrent = RecurrentFreezes()
    private var buffering = JitterBuffering()
    private var audioGaps = AudioGaps()
    /// Payload of video of the largest size, in bps.
    private var usualBitrate: Double?
    private(set) var now = Experience()
    /// Frames that are shown, as a share of those that usually are in the same time and are wanted, `0...1`; `nil` if unknown.
    private(set) var frameRate: Double?
    private var shownRate: Double?
    /// The most frames per second of late, while nothing held the publisher back.
    private var fastest = 0.0
    /// Whether the wanted layer is forwarded, fits, and comes much smaller than it did.
    var isReducedBySender: Bool { reduced.isTrue }
    /// What stalls do, over their own window, while packets stall again and again and few are lost; else `nil`.
    private(set) var stalling: Experience?
    /// What freezes do that come again and again while nothing is wrong with the path; else `nil`.
    private(set) var stuttering: Experience?

    /// What gaps of audio do that come again and again though nothing is lost or late on the path; else `nil`.
    var missing: Experience? { audioGaps.share.map { Experience(concealment: $0) } }

    /// What the jitter buffer of audio aims at because packets come unsteadily, in seconds; `nil` if that is as usual, or they no
    /// longer do.
    var jitterDelay: Double? { buffering.delay }

    init(rules: ExperienceRules) { self.rules = rules }

    /// Takes a tick.
    mutating func handle(_ input: Input) {
        let time = input.tick.time
        let interval = input.tick.interval
        concealment.handle(
            input.concealment.flatMap { share in interval.map { share * $0 } }, of: interval, at: time,
            window: rules.window)
        frozen.handle(input.frozen, of: interval, at: time, window: rules.window)
        now.concealment = concealment.value
        now.frozen = frozen.value
        notePixels(input)
        noteFrameRate(input)
        noteStalls(input)
        noteFreezes(input)
        let isLossless = (input.fractionLost ?? 0) < rules.loss.good
        let isConcealed = (input.concealment ?? 0) >= rules.concealment.good && isLossless
        buffering.handle(
            input.jitterBufferTarget, jitter: input.jitter.audio, isConcealed: isConcealed, at: input.tick)
    }

    /// Forgets the freezes and gaps so far: something else explains them.
    mutating func forgetInterruptions() {
        recurrent = RecurrentFreezes()
        stuttering = nil
        audioGaps = AudioGaps()
    }

    private mutating func noteFreezes(_ input: Input) {
        let hasFrozen = input.freezes ?? 0 > 0
        let isLossy = input.fractionLost ?? 0 >= rules.loss.excellent
        let share = recurrent.handle(
            hasFrozen ? input.frozen : nil, frames: input.frames, hasKeyFrame: input.keyFrames ?? 0 > 0,
            isExplained: isLossy || input.stallsWithOthers || hasFrozen && !input.hasRoom, at: input.tick)
        stuttering = share.map { Experience(frozen: $0) }
    }

    /// A layer is as large as it ever came: a camera may give less than was configured.
    private mutating func notePixels(_ input: Input) {
        let shown = input.shown?.pixels
        if let shown, shown >= largest {
            largest = shown
            usualBitrate = max((usualBitrate ?? 0) * Self.fading, input.bitrate ?? 0)
        }
        let wanted =
            (input.leg?.wantedLayer ?? input.wanted)?.size.map { min($0.pixels, largest) }
            ?? (input.isPeers ? largest : nil)
        now.pixels = shown.flatMap { shown in wanted.flatMap { $0 > 0 ? min(shown / $0, 1) : nil } }
        let isForwarded = input.leg?.isWantedSent != false && input.leg?.isLimited != true
        let isThin = !input.isPeers || isThin(input)
        let isSmall = now.pixels.map { $0 < rules.pixels.good && isForwarded && isThin && input.hasRoom }
        reduced.handle(isSmall ?? false, for: Self.reductionTime, at: input.tick)
    }

    /// Whether a peer's encoder has far fewer bits than for video of the largest size, and not all that it makes of this one.
    private func isThin(_ input: Input) -> Bool {
        var sizes = VideoSizes()
        if let shown = input.shown { sizes.add(shown) }
        return (input.bitrate ?? .infinity) <= Self.thin * (usualBitrate ?? 0)
            && !sizes.areFilled(by: input.bitrate)
    }

    /// A report may have the frames of the moment before.
    private mutating func noteFrameRate(_ input: Input) {
        guard input.isAllDue, let frames = input.frames, let interval = input.tick.interval, interval > 0
        else {
            (frameRate, shownRate) = (nil, nil)
            return
        }
        let rate = frames / interval
        let smooth = shownRate.map { $0 + (rate - $0) * Self.smoothing } ?? rate
        shownRate = smooth
        // A camera gives fewer frames when it gets dark, and no one takes them away.
        if input.isPublisherWell { fastest *= max(0, 1 - interval / Self.rateMemory) }
        fastest = max(fastest, smooth)
        let most = min(fastest, input.wantedFrameRate ?? .infinity)
        frameRate = most > 0 ? min(smooth / most, 1) : nil
    }

    /// Packets that come late in clumps freeze video and have audio concealed, and show as jitter.
    private mutating func noteStalls(_ input: Input) {
        let (time, interval) = (input.tick.time, input.tick.interval)
        let concealed = input.concealment.flatMap { share in interval.map { share * $0 } }
        stalled.concealment.handle(concealed, of: interval, at: time, window: Self.stallWindow)
        stalled.frozen.handle(input.frozen, of: interval, at: time, window: Self.stallWindow)
        let isImpaired = input.freezes ?? 0 > 0 || (input.concealment ?? 0) >= rules.concealment.good
        let jitter = max(input.jitter.audio ?? 0, input.jitter.video ?? 0)
        arrivals.handle(input.audioPackets, over: interval, at: time, window: Self.stallWindow)
        // Jitter is that of the last moment before a report. Audio that is concealed though every packet came was late.
        let isAudioLate = (input.concealment ?? 0) >= rules.concealment.good && arrivals.isComplete
        let isLate =
            (jitter >= Self.stallJitter || isAudioLate || input.stallsWithOthers)
            && (input.fractionLost ?? 0) < rules.loss.good
        // Audio that is missing while the rest of it comes in time was lost before this path.
        let isMissing =
            (input.concealment ?? 0) >= rules.concealment.good
            && input.jitter.audio.map { $0 < Self.punctualJitter } ?? false && !isAudioLate
        if isImpaired, isLate, !isMissing { stalls.append(time) }
        let isTimely =
            !isAudioLate && !input.stallsWithOthers && (input.jitter.audio ?? 0) < Self.stallJitter
        audioGaps.handle(
            input.concealment, isGap: (input.concealment ?? 0) >= rules.concealment.good && isTimely,
            isExplained: (input.fractionLost ?? 0) >= rules.loss.excellent, arrived: arrivals.share,
            at: input.tick)
        // Reports that come rarely hold several stalls each.
        let window = max(Self.stallWindow * 1000, 2.5 * (interval ?? 0) * 1000)
        stalls.removeAll { $0 <= time - window }
        guard stalls.count >= 2 else {
            stalling = nil
            return
        }
        stalling = Experience(concealment: stalled.concealment.value, frozen: stalled.frozen.value)
    }

    /// What is left of the usual rate after a tick.
    private static let fading = 0.98
    /// In how long a frame rate is forgotten that is no longer reached though nothing prevents it, in seconds.
    private static let rateMemory = 60.0
    /// How fast the frame rate follows that of a tick.
    private static let smoothing = 0.5
    /// Share of the usual rate that smaller video has at most where bandwidth makes it smaller.
    private static let thin = 0.5
    /// How long video has to be small for it to be the sender's shortage, in seconds.
    private static let reductionTime = 3.0
    /// Time in which stalls come again and again, in seconds.
    private static let stallWindow = 8.0
    /// Jitter of media that stalls of a few hundred milliseconds make, in seconds.
    private static let stallJitter = 0.015
    /// Jitter of audio below which no packet of it was late, in seconds.
    private static let punctualJitter = 0.004
}
