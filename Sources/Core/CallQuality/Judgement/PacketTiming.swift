// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether packets come too steadily for a path that carries as little as congestion control believes.
///
/// A link takes its time for each packet. On one of 100 kbps a packet of video of 600 bytes takes 48 ms, and audio that is sent
/// every 20 ms waits behind it and jitters. Audio that hardly jitters went over a link that is much faster, and what congestion
/// control believes has another reason.
struct PacketTiming: Sendable {
    /// What a tick says.
    struct Input: Sendable {
        /// How long a link of the estimated rate takes for a packet of video, in seconds; `nil` if unknown.
        var serializationDelay: Double?
        /// Jitter of continuous audio that is sent beside it, in seconds; `nil` without a new figure.
        var audioJitter: Double?
        /// Round trip times newly measured, in seconds, by who measures: each has its own usual value.
        var roundTripTimes: [Double?]
    }

    private var delays: [(time: Double, value: Double)] = []
    private var jitters: [(time: Double, value: Double)] = []
    private var roundTrips: [(time: Double, source: Int, value: Double)] = []
    /// The shortest round trip time of the path, by source.
    private var least: [Int: Double] = [:]

    /// Time over which it is looked at, in ms.
    private static let window = 20_000.0
    /// RTCP reports about audio that it takes.
    private static let reports = 3
    /// Seconds of a packet from which on audio has to wait.
    private static let slow = 0.035
    /// Seconds of a packet from which on it makes a difference.
    private static let noticeable = 0.01
    /// Share of the time of a packet by which audio jitters at least that waits for packets.
    private static let share = 0.12
    /// The same of what usually does.
    private static let likely = 0.3

    /// Takes a tick.
    mutating func handle(_ input: Input, at time: Double) {
        for (source, value) in input.roundTripTimes.enumerated() {
            if let value { least[source] = min(value, least[source] ?? value) }
        }
        if let delay = input.serializationDelay { delays.append((time, delay)) }
        // Of what is received nothing is known, and on fast paths nothing has to be.
        guard delays.contains(where: { $0.value >= Self.noticeable }) else {
            delays.removeAll { $0.time < time - Self.window }
            return
        }
        if let jitter = input.audioJitter { jitters.append((time, jitter)) }
        for (source, value) in input.roundTripTimes.enumerated() {
            if let value { roundTrips.append((time, source, value)) }
        }
        let oldest = time - Self.window
        delays.removeAll { $0.time < oldest }
        jitters.removeAll { $0.time < oldest }
        roundTrips.removeAll { $0.time < oldest }
    }

    /// Whether the path carries much more than congestion control believes, and its delay varies.
    func isTooSteady(_ rules: ConditionRules) -> Bool {
        // What was measured before the estimate was so low says nothing of it.
        guard let begin = delays.first(where: { $0.value >= Self.slow })?.time else { return false }
        let jitters = jitters.filter { $0.time >= begin }
        guard jitters.count >= Self.reports, delays.count >= Self.reports else { return false }
        let sorted = delays.map(\.value).sorted()
        let delay = sorted[sorted.count / 2]
        guard delay >= Self.slow, jitters.allSatisfy({ $0.value < Self.share * delay }) else { return false }
        let variations = Set(roundTrips.map(\.source)).compactMap { variation(of: $0) }
        guard let most = variations.max() else { return false }
        return most >= rules.backoffVariation && most < 2 * delay && !isQueueing(rules)
    }

    /// Whether audio jitters by less than it would behind packets on a path of that rate: with other evidence, such a path carries
    /// more.
    var isSteadier: Bool {
        guard jitters.count >= 2, delays.count >= Self.reports else { return false }
        let (delays, jitters) = (delays.map(\.value).sorted(), jitters.map(\.value).sorted())
        return delays[delays.count / 2] >= Self.noticeable
            && jitters[jitters.count / 2] < Self.likely * delays[delays.count / 2]
    }

    /// Whether round trip times are as far above the shortest as by a queue: audio may come steadily out of it.
    private func isQueueing(_ rules: ConditionRules) -> Bool {
        least.contains { source, least in
            let times = roundTrips.filter { $0.source == source }.map(\.value).sorted()
            return !times.isEmpty && times[times.count / 2] - least > rules.queueingTime
        }
    }

    /// How far the round trip times of a kind are apart, but for a tenth of them; `nil` if they are few.
    private func variation(of source: Int) -> Double? {
        let times = roundTrips.filter { $0.source == source }.map(\.value).sorted()
        guard times.count >= Self.reports, let least = times.first else { return nil }
        return times[times.count * 9 / 10] - least
    }
}
