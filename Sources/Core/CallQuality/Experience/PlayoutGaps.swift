// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// How much of what a device played was synthesized, because nothing was ready when it asked for samples.
///
/// That is this device's fault, however much it sounds like loss: what the network did not bring is concealed before,
/// and counted elsewhere (`media-playout` of W3C webrtc-stats).
struct PlayoutGaps: Sendable {
    private var played = Accumulator()
    private var synthesized = Accumulator()
    private var recent = RecentShare()
    /// Ticks with gaps: one of them happens to every device, as when it is plugged in.
    private var gaps: [Double] = []

    /// Until when what is known is new, in ms of the reports' time.
    private var freshUntil = -Double.infinity

    /// What people hear of it over the last seconds; `nil` where no one says, or says any more, or it came once.
    func now(at tick: Tick) -> Experience? {
        guard gaps.count >= 2, tick.time < freshUntil else { return nil }
        return recent.value.map { Experience(concealment: $0) }
    }

    /// Takes a tick of the device that plays a received stream.
    mutating func handle(
        _ stream: borrowing InboundRTPStats, _ report: borrowing StatsReport, _ tick: Tick,
        _ rules: ExperienceRules
    ) {
        guard let playout = report.mediaPlayout(id: stream.playoutId) else { return }
        let window = max(rules.window, 2 * (tick.interval ?? 0))
        let whole = played.advance(to: playout.totalSamplesDuration)
        let made = synthesized.advance(to: playout.synthesizedSamplesDuration)
        gaps.removeAll { $0 <= tick.time - window * 1000 }
        // What was before the first report is no one's.
        guard tick.previous != nil else { return }
        recent.handle(made, of: whole, at: tick.time, window: window)
        freshUntil = tick.time + window * 1000
        if let made, let whole, made > rules.concealment.excellent * whole { gaps.append(tick.time) }
    }
}
