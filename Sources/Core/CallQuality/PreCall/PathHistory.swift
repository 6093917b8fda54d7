// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The readings of one end of the path, and the figures between them.
///
/// Pure.
package struct PathHistory: Sendable {
    /// Counters, and when this client knew of them by its own clock.
    package struct Reading: Sendable, Equatable {
        var counters: LegCounters
        var knownAt: Duration

        subscript(medium: MediaKind) -> LegCounters.Medium? {
            medium == .audio ? counters.audio : counters.video
        }
    }

    package private(set) var readings: [Reading] = []
    /// From the far end's clock to this client's, seconds, by the reading that came fastest.
    private var offset = Double.infinity

    /// Takes a reading; one that is not newer than the last is omitted, and counters that went back (another
    /// peer connection) start over.
    package mutating func add(_ reading: Reading) {
        if let last = readings.last, reading.counters.timestamp <= last.counters.timestamp { return }
        defer {
            offset = min(offset, reading.knownAt.seconds - reading.counters.timestamp / 1000)
            readings.append(reading)
        }
        guard let last = readings.last else { return }
        if let bytes = reading.counters.bytesReceived, let before = last.counters.bytesReceived,
            bytes < before
        {
            readings = []
            offset = .infinity
        }
    }

    /// Readings that were made within a time.
    ///
    /// By the far end's clock: what was held up on its way here is about the time at which it was made.
    package func readings(from start: Duration, to end: Duration) -> ArraySlice<Reading> {
        let (first, last) = (start.seconds - Self.rounding, end.seconds + Self.rounding)
        return readings.drop { madeAt($0) < first }.prefix { madeAt($0) <= last }
    }

    /// Whether something is known that was read at a time or later.
    package func reaches(_ time: Duration) -> Bool {
        readings.last.map { madeAt($0) >= time.seconds - Self.rounding } ?? false
    }

    /// When a reading was made, by this client's clock, seconds.
    private func madeAt(_ reading: Reading) -> Double { reading.counters.timestamp / 1000 + offset }

    /// Seconds; timestamps are ms.
    private static let rounding = 0.001

    /// What arrived per second within a time, IP and UDP headers included, bps; `nil` without two readings.
    package func wireRate(from start: Duration, to end: Duration) -> Double? {
        let window = Self.arrivals(readings(from: start, to: end))
        guard let first = window.first, let last = window.last,
            last.counters.timestamp > first.counters.timestamp,
            let bytes = Self.growth(first.counters.bytesReceived, last.counters.bytesReceived),
            let packets = Self.growth(first.counters.packetsReceived, last.counters.packetsReceived)
        else { return nil }
        return (bytes + packets * Self.headers) * 8000 / (last.counters.timestamp - first.counters.timestamp)
    }

    /// What arrived per second, in the middle of all that readings of a time say which are `least` or more apart, IP and UDP
    /// headers included.
    ///
    /// Nothing had arrived when the time began: it counts from then on, though the reading before it is older.
    ///
    /// - Returns: bps; `nil` if no readings are so far apart.
    package func usualWireRate(since start: Duration, to end: Duration, over least: Duration) -> Double? {
        let before = readings.last { madeAt($0) < start.seconds - Self.rounding }
        let window = [before].compactMap(\.self) + readings(from: start, to: end)
        // From one arrival to another a line carries no more than it can.
        let arrivals = zip(window, window.dropFirst()).filter { former, reading in
            Self.growth(former.counters.packetsReceived, reading.counters.packetsReceived) ?? 0 > 0
        }
        let all = window.prefix(1) + arrivals.map(\.1)
        let rates = all.indices.dropLast().compactMap { index -> Double? in
            let begin = max(start.seconds, madeAt(all[index]))
            let last = all[(index + 1)...].first { madeAt($0) - begin >= least.seconds - Self.rounding }
            guard let last, madeAt(last) > begin,
                let bytes = Self.growth(all[index].counters.bytesReceived, last.counters.bytesReceived),
                let packets = Self.growth(
                    all[index].counters.packetsReceived, last.counters.packetsReceived)
            else { return nil }
            return (bytes + packets * Self.headers) * 8 / (madeAt(last) - begin)
        }
        return rates.isEmpty ? nil : rates.sorted()[rates.count / 2]
    }

    /// What is known of the path within a time; without its bandwidth.
    package func evidence(from start: Duration, to end: Duration) -> PathEvidence {
        let window = readings(from: start, to: end)
        var evidence = PathEvidence()
        evidence.audio = Self.medium(.audio, window)
        evidence.video = Self.medium(.video, window)
        evidence.loss = Self.loss(window)
        evidence.dispersion = Self.dispersion(window, evidence.loss)
        return evidence
    }

    /// Mean jitter of a medium within a time, seconds; `nil` if no reading has one.
    package func jitter(_ medium: MediaKind, from start: Duration, to end: Duration) -> Double? {
        readings(from: start, to: end).compactMap { $0[medium]?.jitter }.mean
    }

    /// The readings from the first to the last at which something had arrived.
    ///
    /// Where packets are rare, a window begins and ends in the middle of nothing, which would count as time
    /// in which nothing was carried.
    private static func arrivals(_ window: ArraySlice<Reading>) -> ArraySlice<Reading> {
        let grown = window.indices.dropFirst().filter { index in
            (growth(window[index - 1].counters.bytesReceived, window[index].counters.bytesReceived) ?? 0) > 0
        }
        guard grown.count > 2, let first = grown.first, let last = grown.last else { return window }
        return window[first...last]
    }

    /// Bytes of IPv4 and UDP headers.
    private static let headers = 28.0

    private static func medium(
        _ medium: MediaKind, _ window: ArraySlice<Reading>
    ) -> MediumEvidence {
        let present = window.filter { $0[medium] != nil }
        let rates = zip(present, present.dropFirst()).compactMap { rate(of: medium, from: $0, to: $1) }
        guard let first = present.first, let last = present.last,
            let bitrate = rate(of: medium, from: first, to: last)
        else { return MediumEvidence() }
        return MediumEvidence(bitrate: bitrate, deviation: deviation(rates), readings: rates.count)
    }

    private static func rate(
        of medium: MediaKind, from first: Reading, to last: Reading
    ) -> Double? {
        guard last.counters.timestamp > first.counters.timestamp,
            let bytes = growth(first[medium]?.bytesReceived, last[medium]?.bytesReceived)
        else { return nil }
        return bytes * 8000 / (last.counters.timestamp - first.counters.timestamp)
    }

    private static func loss(_ window: ArraySlice<Reading>) -> LossTally {
        guard let first = window.first, let last = window.last else { return LossTally() }
        return tally(from: first, to: last)
    }

    private static func tally(from first: Reading, to last: Reading) -> LossTally {
        [MediaKind.audio, .video].reduce(into: LossTally()) { sum, medium in
            guard let before = first[medium], let after = last[medium],
                let received = growth(before.packetsReceived, after.packetsReceived)
            else { return }
            // Packets that come late take losses back.
            let lost = max(0, Double(after.packetsLost) - Double(before.packetsLost))
            sum = sum + LossTally(lost: lost, expected: received + lost)
        }
    }

    /// Variance of the losses from reading to reading, compared with that of independent losses.
    private static func dispersion(_ window: ArraySlice<Reading>, _ total: LossTally) -> Double {
        let ticks = zip(window, window.dropFirst()).map { tally(from: $0, to: $1) }.filter { $0.expected > 0 }
        guard let fraction = total.fraction, fraction > 0, fraction < 1, ticks.count > 1 else { return 1 }
        let sum = ticks.reduce(0.0) { sum, tick in
            let excess = tick.lost - tick.expected * fraction
            return sum + excess * excess / (tick.expected * fraction * (1 - fraction))
        }
        return max(1, sum / Double(ticks.count - 1))
    }

    private static func growth(_ first: UInt64?, _ last: UInt64?) -> Double? {
        guard let first, let last, last >= first else { return nil }
        return Double(last - first)
    }

    private static func deviation(_ values: [Double]) -> Double {
        guard let mean = values.mean, values.count > 1 else { return 0 }
        let sum = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (sum / Double(values.count - 1)).squareRoot()
    }
}
