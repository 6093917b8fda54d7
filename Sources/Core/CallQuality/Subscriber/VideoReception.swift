// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What is remembered of a subscribed stream's video.
struct VideoReception: Sendable {
    private var totals = PacketTotals()
    private(set) var gaps: FreezeTracker
    private var sender: SenderProgress
    /// Whether a freeze was counted in the last tick.
    private var hasFrozen = false
    /// What is known of the last tick beside its figures.
    private(set) var details = MediaDetails()
    /// Share of the last tick that decoding took; `nil` if unknown.
    private(set) var decodingShare: Double?
    /// Share of the last tick's complete frames that were not decoded; `nil` if unknown.
    private(set) var droppedShare: Double?
    /// From when on a first frame is due, in ms; `nil` before the first packet, and once there was a frame.
    private var firstFrameDue: Double?
    private var hasShown = false
    /// Time from the first packet to the first frame that needs no explanation, in ms: a key frame has to come.
    private static let startAllowance = 3000.0

    init(_ configuration: QualityConfiguration) {
        gaps = FreezeTracker(pauseLength: configuration.video.pause * 1000)
        sender = SenderProgress(ageLimit: configuration.remoteMetricsMaxAge)
    }

    /// The tick's figures; `nil` as long as the stream never had video.
    mutating func handle(
        _ sum: InboundAggregate, _ report: StatsReport, _ seen: TransportObservation, _ intent: VideoIntent?,
        _ remote: RemoteMetrics
    ) -> MediaFigures? {
        guard let tick = seen.tick, sum.main != nil || totals.startTime != nil else { return nil }
        totals.startTime = totals.startTime ?? tick.stamp
        sum.add(to: &totals)
        countGaps(sum, intent, remote, tick)
        noteStart(sum, tick)
        droppedShare = sum.main.flatMap { main in
            guard let received = main.framesReceived?.amount, received > 0, let shown = main.frames?.amount
            else { return nil }
            return 1 - min(Double(shown) / Double(received), 1)
        }
        decodingShare = sum.main?.decodeTime.flatMap { time in tick.interval.map { min(time / $0, 1) } }
        details = MediaDetails(
            startTime: totals.startTime, totalBitrate: sum.flow.totalBitrate,
            roundTripTime: seen.path.roundTripTime)
        return figures(sum, report)
    }

    private func figures(_ sum: InboundAggregate, _ report: borrowing StatsReport) -> MediaFigures {
        var figures = MediaFigures(totals)
        figures.bitrate = sum.flow.bitrate
        figures.frameRate = sum.flow.frameRate
        figures.fractionLost = sum.fractionLost
        figures.residualFractionLost = sum.residualFractionLost
        figures.pauseCount = gaps.pauseCount.map { Int(clamping: $0) }
        figures.totalPausesDuration = gaps.pauseDuration
        figures.freezeCount = gaps.freezeCount.map { Int(clamping: $0) }
        figures.totalFreezesDuration = gaps.freezeDuration?.rounded()
        if let index = sum.main?.index {
            figures.width = report.inboundRTP[index].frameWidth.map { Int(clamping: $0) }
            figures.height = report.inboundRTP[index].frameHeight.map { Int(clamping: $0) }
            figures.codec = report.codecName(id: report.inboundRTP[index].codecId)
            figures.jitter = sum.main?.isResuming == true ? nil : report.inboundRTP[index].jitter?.ifSane
        }
        return figures
    }

    /// How long a frame has been overdue, in seconds; `nil` if none is, or if the video may be static.
    func frameDueFor(_ intent: VideoIntent?, at time: Double) -> Double? {
        guard let intent, intent.isWanted else { return nil }
        // Packets without a frame are wrong, whatever the video shows.
        if let firstFrameDue { return time >= firstFrameDue ? (time - firstFrameDue) / 1000 : nil }
        guard !gaps.isSuppressed, let since = gaps.overdueSince else { return nil }
        guard intent.videoType == .camera || gaps.isSenderKnown else { return nil }
        return (time - since) / 1000
    }

    /// Whether a problem is visible: video froze, or far fewer frames are shown than are sent.
    func isImpaired(_ intent: VideoIntent?, at time: Double, _ rules: VideoRules) -> Bool {
        if hasFrozen || frameDueFor(intent, at: time) ?? 0 >= rules.visibleGap { return true }
        guard intent?.isWanted ?? true, let share = sender.shownShare else { return false }
        return share < rules.collapsedFrameRate
    }

    private mutating func noteStart(_ sum: InboundAggregate, _ tick: Tick) {
        if sum.flow.frames ?? 0 > 0 { hasShown = true }
        guard !hasShown, sum.flow.frames != nil, let main = sum.main else {
            firstFrameDue = nil
            return
        }
        if firstFrameDue == nil, main.bytes?.amount ?? 0 > 0 {
            firstFrameDue = (tick.previous ?? tick.time) + Self.startAllowance
        }
    }

    private mutating func countGaps(
        _ sum: InboundAggregate, _ intent: VideoIntent?, _ remote: RemoteMetrics, _ tick: Tick
    ) {
        let senderSentFrames = sender.handle(remote, decoded: sum.flow.frames)
        let freezesBefore = gaps.freezeCount ?? 0
        gaps.handle(
            FreezeTracker.Input(
                time: tick.time,
                gotFrames: sum.flow.frames.map { $0 > 0 },
                freezes: sum.main?.freezes?.amount,
                freezeDuration: sum.main?.freezeDuration ?? 0,
                pauses: sum.main?.pauses?.amount,
                pauseDuration: sum.main?.pauseDuration ?? 0,
                isOff: !(intent?.isWanted ?? true),
                mayStandStill: intent?.videoType.map { $0 != .camera } ?? false,
                senderSentFrames: senderSentFrames))
        hasFrozen = (gaps.freezeCount ?? 0) > freezesBefore
    }
}
