// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The readings of one end of the path, and the figures between them.
///
/// Pure.
struct PathHistory: Sendable {
    private(set) var readings: [EndCounters] = []

    /// Takes a reading; one that is not newer than the last is left out, and counters that went back (another peer
    /// connection) begin anew.
    mutating func add(_ reading: EndCounters) {
        guard let last = readings.last else { return readings.append(reading) }
        guard reading.timestamp > last.timestamp else { return }
        if let bytes = reading.bytesReceived, let before = last.bytesReceived, bytes < before {
            readings = []
        }
        readings.append(reading)
    }

    /// Readings that were known within a time.
    func readings(from start: Duration, to end: Duration) -> ArraySlice<EndCounters> {
        readings.drop { $0.knownAt < start }.prefix { $0.knownAt <= end }
    }

    /// What arrived per second within a time, IP and UDP headers included, bps; `nil` without two readings.
    func wireRate(from start: Duration, to end: Duration) -> Double? {
        let window = Self.arrivals(readings(from: start, to: end))
        guard let first = window.first, let last = window.last, last.timestamp > first.timestamp,
            let bytes = Self.growth(first.bytesReceived, last.bytesReceived),
            let packets = Self.growth(first.packetsReceived, last.packetsReceived)
        else { return nil }
        return (bytes + packets * Self.headers) * 8000 / (last.timestamp - first.timestamp)
    }

    /// What is known of the path within a time; without its bandwidth.
    func evidence(from start: Duration, to end: Duration) -> PathEvidence {
        let window = readings(from: start, to: end)
        var evidence = PathEvidence()
        evidence.audio = Self.medium(.audio, window)
        evidence.video = Self.medium(.video, window)
        evidence.loss = Self.loss(window)
        evidence.dispersion = Self.dispersion(window, evidence.loss)
        return evidence
    }

    /// Mean jitter of a medium within a time, seconds; `nil` if no reading has one.
    func jitter(_ medium: NetworkTestReason.Medium, from start: Duration, to end: Duration) -> Double? {
        Self.mean(readings(from: start, to: end).compactMap { $0[medium]?.jitter })
    }

    /// The readings from the first to the last at which something had arrived.
    ///
    /// Where packets are rare, a window begins and ends in the middle of nothing, which would count as time in which
    /// nothing was carried.
    private static func arrivals(_ window: ArraySlice<EndCounters>) -> ArraySlice<EndCounters> {
        let grown = window.indices.dropFirst().filter { index in
            (growth(window[index - 1].bytesReceived, window[index].bytesReceived) ?? 0) > 0
        }
        guard grown.count > 2, let first = grown.first, let last = grown.last else { return window }
        return window[first...last]
    }

    /// Bytes of IPv4 and UDP headers.
    private static let headers = 28.0

    private static func medium(
        _ medium: NetworkTestReason.Medium, _ window: ArraySlice<EndCounters>
    ) -> MediumEvidence {
        let present = window.filter { $0[medium] != nil }
        let rates = zip(present, present.dropFirst()).compactMap { rate(of: medium, from: $0, to: $1) }
        guard let first = present.first, let last = present.last,
            let bitrate = rate(of: medium, from: first, to: last)
        else { return MediumEvidence() }
        return MediumEvidence(bitrate: bitrate, deviation: deviation(rates), readings: rates.count)
    }

    private static func rate(
        of medium: NetworkTestReason.Medium, from first: EndCounters, to last: EndCounters
    ) -> Double? {
        guard last.timestamp > first.timestamp,
            let bytes = growth(first[medium]?.bytesReceived, last[medium]?.bytesReceived)
        else { return nil }
        return bytes * 8000 / (last.timestamp - first.timestamp)
    }

    private static func loss(_ window: ArraySlice<EndCounters>) -> LossTally {
        guard let first = window.first, let last = window.last else { return LossTally() }
        return tally(from: first, to: last)
    }

    private static func tally(from first: EndCounters, to last: EndCounters) -> LossTally {
        [NetworkTestReason.Medium.audio, .video].reduce(into: LossTally()) { sum, medium in
            guard let before = first[medium], let after = last[medium],
                let received = growth(before.packetsReceived, after.packetsReceived)
            else { return }
            // Packets that come late take losses back.
            let lost = max(0, Double(after.packetsLost) - Double(before.packetsLost))
            sum = sum + LossTally(lost: lost, due: received + lost)
        }
    }

    /// Variance of the losses from reading to reading, compared with that of independent losses.
    private static func dispersion(_ window: ArraySlice<EndCounters>, _ total: LossTally) -> Double {
        let ticks = zip(window, window.dropFirst()).map { tally(from: $0, to: $1) }.filter { $0.due > 0 }
        guard let fraction = total.fraction, fraction > 0, fraction < 1, ticks.count > 1 else { return 1 }
        let sum = ticks.reduce(0.0) { sum, tick in
            let excess = tick.lost - tick.due * fraction
            return sum + excess * excess / (tick.due * fraction * (1 - fraction))
        }
        return max(1, sum / Double(ticks.count - 1))
    }

    private static func growth(_ first: UInt64?, _ last: UInt64?) -> Double? {
        guard let first, let last, last >= first else { return nil }
        return Double(last - first)
    }

    private static func mean(_ values: [Double]) -> Double? {
        let finite = values.filter(\.isFinite)
        return finite.isEmpty ? nil : finite.reduce(0, +) / Double(finite.count)
    }

    private static func deviation(_ values: [Double]) -> Double {
        guard let mean = mean(values), values.count > 1 else { return 0 }
        let sum = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (sum / Double(values.count - 1)).squareRoot()
    }
}
