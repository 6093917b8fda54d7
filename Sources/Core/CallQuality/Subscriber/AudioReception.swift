// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What is remembered of a subscribed stream's audio.
struct AudioReception: Sendable {
    private var totals = PacketTotals()
    private(set) var concealment = ConcealmentMeter()
    /// Packets that came in the last tick, per second; `nil` if unknown.
    private(set) var packetRate: Double?
    /// The delay that jitter alone makes the jitter buffer aim at, in seconds; `nil` if unknown.
    private(set) var minimumDelay: Double?
    /// What is known of the last tick beside its figures.
    private(set) var details = MediaDetails()

    /// The tick's figures; `nil` as long as the stream never had audio.
    ///
    /// - Parameter isExpected: Whether it is to be heard, as far as anyone said.
    mutating func handle(
        _ sum: InboundAggregate, _ report: StatsReport, _ seen: TransportObservation, isExpected: Bool
    ) -> MediaFigures? {
        guard let tick = seen.tick, sum.main != nil || totals.startTime != nil else { return nil }
        packetRate = sum.main?.packets?.perSecond
        minimumDelay = nil
        totals.startTime = totals.startTime ?? tick.stamp
        sum.add(to: &totals)
        details = MediaDetails(
            startTime: totals.startTime, totalBitrate: sum.flow.totalBitrate,
            roundTripTime: seen.path.roundTripTime)
        var figures = MediaFigures(totals)
        figures.bitrate = sum.flow.bitrate
        figures.fractionLost = sum.fractionLost
        if let main = sum.main {
            describe(main, report, &figures)
            figures.concealment = concealment.share(
                main, at: tick,
                path: (
                    isOut: seen.downlink.networkConditionReason == .connection,
                    isQuiet: seen.path.hasArrivals != true
                ))
        }
        // What is not sent on purpose is no gap, and none when it comes again.
        if sum.main == nil || !isExpected { concealment.forgetGap() }
        return figures
    }

    private mutating func describe(
        _ main: InboundDelta, _ report: StatsReport, _ figures: inout MediaFigures
    ) {
        let index = main.index
        figures.audioLevel = AudioLevelMeter.level(
            energy: main.audioEnergy, duration: main.audioDuration,
            snapshot: report.inboundRTP[index].audioLevel)
        figures.codec = report.codecName(id: report.inboundRTP[index].codecId)
        figures.jitter = main.isResuming ? nil : report.inboundRTP[index].jitter?.ifSane
        if let delay = main.jitterBufferDelay, let emitted = main.emitted?.amount, emitted > 0 {
            figures.jitterBufferDelay = delay / Double(emitted)
            minimumDelay = main.jitterBufferMinimumDelay.map { $0 / Double(emitted) }
        }
    }
}
