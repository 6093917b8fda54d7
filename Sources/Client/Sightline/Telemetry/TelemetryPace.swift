// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// How often the samples of a leg are sent: each, less often where the uplink has nothing to spare.
///
/// Pure. An uplink is poor if its estimate is, or if earlier samples have not left yet; each such sample is a step down.
/// What a sample that is not sent has caused goes with the next one.
struct TelemetryPace {
    /// Least seconds between two samples that are sent: on a good uplink, on a poor one, on a worse one.
    private static let steps = [0.0, 2, 5]
    /// Seconds that an uplink has to do better before more is sent on it.
    private static let recovery = 5.0

    /// Estimate below which an uplink is poor, bps; below half of it is worse.
    let threshold: Double
    /// Seconds between two samples as they are measured.
    let tick: Double
    private var step = 0
    private var good = 0.0
    private var waited = 0
    private var events: [StreamEvent] = []

    init(threshold: Double, tick: Double = 1) {
        self.threshold = threshold
        self.tick = tick
    }

    /// Seconds between two samples that are sent; `nil` for one or less.
    var interval: Double? {
        let seconds = Double(stride) * tick
        return seconds > 1 ? seconds : nil
    }

    /// One of how many samples is sent.
    private var stride: Int { max(1, Int((Self.steps[step] / tick).rounded(.up))) }

    /// The sample that is to be sent after another one was measured; `nil` for none.
    ///
    /// - Parameters:
    ///   - estimate: What the uplink carries, bps; `nil` if it is not known.
    ///   - isUnsent: Whether earlier samples are still waiting.
    mutating func tick(_ sample: StreamSample, estimate: Double?, isUnsent: Bool) -> StreamSample? {
        settle(isUnsent ? min(step + 1, Self.steps.count - 1) : needed(estimate))
        waited += 1
        events = Array((events + (sample.events ?? [])).suffix(StreamEvent.limit))
        guard waited >= stride else { return nil }
        waited = 0
        var sample = sample
        sample.events = events.isEmpty ? nil : events
        events = []
        return sample
    }

    private func needed(_ estimate: Double?) -> Int {
        guard let estimate, estimate < threshold else { return 0 }
        return estimate < threshold / 2 ? 2 : 1
    }

    private mutating func settle(_ wanted: Int) {
        good = wanted < step ? good + tick : 0
        step = max(step, wanted)
        guard good >= Self.recovery else { return }
        step -= 1
        good = 0
    }
}
