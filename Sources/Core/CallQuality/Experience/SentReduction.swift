// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Follows how much smaller or slower sent video is than its source, and why.
struct SentReduction: Sendable {
    /// Shares of the source's pixels and frames.
    private(set) var now = Experience()
    /// Whether the engine says that bandwidth limits the encoder, and it has given up size or frames for that.
    var isLimitedByBandwidth: Bool { isSettled && limited.isTrue }
    /// Whether congestion control has had room for much more than is sent for some time.
    ///
    /// Bandwidth is no limit then, whatever the engine says. A layer that is off leaves room that is too little for it.
    private(set) var hasRoom = false
    /// Whether size or frames have been given up.
    private var isReduced: Bool { (now.pixels ?? 1) < Self.whole || (now.frameRate ?? 1) < Self.whole }
    /// Whether half of the size or of the frames have been given up.
    var isHalved: Bool { (now.pixels ?? 1) <= 0.5 || (now.frameRate ?? 1) <= 0.5 }

    private var limited = Lasting()
    private var begin: Double?
    private var isSettled = false
    private var estimates: [(time: Double, value: Double)] = []
    private var largest = 0.0
    private var encoded = RecentShare()
    /// Share of the captured frames that were encoded in the last seconds, `0...1`; `nil` if unknown.
    ///
    /// Of the few that a slow encoder makes, one more or less is much of a single report's.
    var encodedShare: Double? { encoded.value }
    /// The most frames per second that were ever encoded.
    private(set) var fastest: Double?
    /// When encoding last took most of the time, in ms: what was given up for that comes back in steps.
    private var busyAt = -Double.infinity
    private var busy = Lasting()
    /// Whether size or frames were given up for want of time to encode them, and are not back.
    private(set) var isReducedForCPU = false
    /// Share of the tick that encoding all frames would have taken that are due; `nil` if unknown.
    private(set) var encodingNeed: Double?
    /// When encoding last took much of the time, in ms.
    private var loadedAt = -Double.infinity
    /// When it last took most of it, and fewer frames came of it than usual, in ms.
    private var lateAt = -Double.infinity
    /// Whether frames left the encoder whenever it was done with them, in the last seconds: they jitter by that, on any path.
    private(set) var isLate = false
    /// Whether all of the source was sent once: who never does may not be meant to.
    var hasSentWhole: Bool { mostPixels >= Self.whole }
    /// The largest share of its source that was sent.
    private var mostPixels = 0.0

    /// How long a limit has to last, in seconds: encoders adapt in steps of two.
    private static let confirmation = 4.0
    /// Time in which an encoder that starts is limited without a reason, in ms.
    private static let start = 10_000.0
    /// Share of the pixels that is left by the smallest step of an encoder that adapts: three quarters each way.
    private static let step = 0.6
    /// Share of the time that is most of it, for how many seconds, and how long what was given up for want of time takes to
    /// come back, in ms.
    private static let most = 0.65
    private static let busyTime = 2.0
    private static let restoration = 20_000.0
    /// Share of the time that leaves much of it, and after how long with that what is not given back has another reason, in ms.
    private static let spare = 0.5
    private static let longestReduction = 60_000.0
    /// How long what is reported of jitter may be of the time before, in ms.
    private static let reportDelay = 3_000.0
    /// Time over which frames are compared with those captured, in seconds.
    private static let window = 4.0
    /// Share that is as good as all.
    private static let whole = 0.85

    /// Takes a tick.
    mutating func handle(
        _ leg: PublishedLeg, _ sum: OutboundAggregate, _ report: borrowing StatsReport,
        _ seen: TransportObservation, _ tick: Tick
    ) {
        now = Experience()
        (hasRoom, isLate) = (false, false)
        guard let video = leg.video else { return }
        let begin = begin ?? tick.time
        self.begin = begin
        let layers = leg.layers.map(\.figures).filter { $0.enabled != false && $0.sending == true }
        noteSize(layers, sum, report)
        let rate = layers.compactMap(\.frameRate).max()
        if let rate { fastest = max(fastest ?? 0, rate) }
        encoded.handle(
            rate.flatMap { rate in tick.interval.map { rate * $0 } },
            of: video.capturedFrameRate.flatMap { captured in tick.interval.map { captured * $0 } },
            at: tick.time, window: Self.window)
        if let captured = video.capturedFrameRate, captured > 0,
            let encoded = layers.compactMap(\.frameRate).max()
        {
            now.frameRate = min(encoded / captured, 1)
        }
        let reasons = leg.layers.filter { $0.figures.enabled != false }.compactMap(\.qualityLimitationReason)
        let isExplained = reasons.contains { $0 == .bandwidth || $0 == .cpu || $0 == .other || $0 == .none }
        let isCalledLimited = isExplained ? reasons.contains(.bandwidth) : isStarved(sum, tick)
        isSettled = tick.time - begin >= Self.start
        noteTime(
            sum, video.capturedFrameRate, isSlower: rate ?? .infinity < Self.whole * (fastest ?? 0),
            isPathShort: seen.uplinkVerdict.cause == .bandwidth, tick)
        let climbs = climbs(seen.path.estimate, at: tick.time)
        let isClearing = seen.uplinkVerdict.isRecovering && climbs
        // A layer that is off leaves room that is too little for it.
        let isOff = leg.layers.contains { $0.figures.enabled != false && $0.figures.sending == false }
        hasRoom = seen.isApplicationLimited && !isOff
        // What is sent smaller all the same is so for another reason, or no longer.
        let isLimited = isCalledLimited && !hasRoom
        limited.handle(isLimited && isReduced && !isClearing, for: Self.confirmation, at: tick)
    }

    /// Notes whether time to encode is what is missing: encoding takes most of it, or would if no frame were skipped.
    ///
    /// - Parameter isSlower: Whether fewer frames are encoded than usual.
    private mutating func noteTime(
        _ sum: OutboundAggregate, _ captured: Double?, isSlower: Bool, isPathShort: Bool, _ tick: Tick
    ) {
        // No more than it ever encoded, for it may be meant to skip some.
        let due = captured.flatMap { captured in fastest.map { min(captured, $0) } }
        encodingNeed = sum.frameEncodeTime.flatMap { time in due.map { time * $0 } }
        let skips = (now.frameRate ?? 1) < Self.whole
        let load = max(Self.encodingShare(sum, tick), skips ? encodingNeed ?? 0 : 0)
        busy.handle(load >= Self.most && !isPathShort, for: Self.busyTime, at: tick)
        if busy.isTrue { busyAt = tick.time }
        if load >= Self.spare { loadedAt = tick.time }
        if load >= Self.most, isSlower { lateAt = tick.time }
        isLate = tick.time - lateAt <= Self.reportDelay
        isReducedForCPU =
            isReduced && (isReducedForCPU || busy.isTrue) && tick.time - loadedAt <= Self.longestReduction
    }

    private mutating func noteSize(
        _ layers: [LayerFigures], _ sum: OutboundAggregate, _ report: borrowing StatsReport
    ) {
        let sizes = layers.compactMap { layer -> Double? in
            guard let width = layer.width, let height = layer.height else { return nil }
            return VideoSize(width: width, height: height).pixels
        }
        guard let sent = sizes.max() else { return }
        largest = max(largest, sent)
        var whole = largest
        if let entry = sum.entry, let source = report.source(of: report.outboundRTP[entry], .video),
            let width = report.mediaSources[source].width, let height = report.mediaSources[source].height
        {
            whole = Double(width) * Double(height)
        }
        now.pixels = whole > 0 ? min(sent / whole, 1) : nil
        mostPixels = max(mostPixels, now.pixels ?? 0)
    }

    /// Whether the estimate climbs: what is given up comes back.
    private mutating func climbs(_ estimate: Double?, at time: Double) -> Bool {
        guard let estimate else { return false }
        estimates.removeAll { $0.time < time - Self.confirmation * 1000 }
        estimates.append((time, estimate))
        return estimate >= (estimates.first?.value ?? estimate) * 1.1
    }

    /// Share of the tick that encoding took.
    private static func encodingShare(_ sum: OutboundAggregate, _ tick: Tick) -> Double {
        sum.encodeTime.flatMap { time in tick.interval.map { time / $0 } } ?? 0
    }

    /// Whether the video is both much smaller and much slower than its source, or smaller than its source by a step that
    /// it once was not, of an engine that gives no reason, and not for want of time to encode it.
    private func isStarved(_ sum: OutboundAggregate, _ tick: Tick) -> Bool {
        let share = Self.encodingShare(sum, tick)
        guard tick.time - busyAt >= Self.restoration, !isReducedForCPU else { return false }
        let pixels = now.pixels ?? 1
        let isSmall = pixels < 0.3 && (now.frameRate ?? 1) < 0.5
        return share < 0.5 && (isSmall || pixels < Self.step * mostPixels && mostPixels >= Self.whole)
    }
}
