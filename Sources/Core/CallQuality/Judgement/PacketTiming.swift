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
    }

    private var delays: [(time: Double, value: Double)] = []
    private var jitters: [(time: Double, value: Double)] = []

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
        if let delay = input.serializationDelay { delays.append((time, delay)) }
        // Of what is received nothing is known, and on fast paths nothing has to be.
        guard delays.contains(where: { $0.value >= Self.noticeable }) else {
            delays.removeAll { $0.time < time - Self.window }
            return
        }
        if let jitter = input.audioJitter { jitters.append((time, jitter)) }
        let oldest = time - Self.window
        delays.removeAll { $0.time < oldest }
        jitters.removeAll { $0.time < oldest }
    }

    /// Whether the path carries much more than congestion control believes, and its delay varies.
    func isTooSteady(_ roundTrips: RoundTrips, _ rules: ConditionRules) -> Bool {
        // What was measured before the estimate was so low says nothing of it.
        guard let begin = delays.first(where: { $0.value >= Self.slow })?.time else { return false }
        let jitters = jitters.filter { $0.time >= begin }
        guard jitters.count >= Self.reports, delays.count >= Self.reports else { return false }
        let sorted = delays.map(\.value).sorted()
        let delay = sorted[sorted.count / 2]
        guard delay >= Self.slow, jitters.allSatisfy({ $0.value < Self.share * delay }) else { return false }
        let rises = rises(roundTrips)
        let variations = rises.filter { $0.count >= Self.reports }.map { $0[$0.count * 9 / 10] - $0[0] }
        guard let most = variations.max() else { return false }
        return most >= rules.backoffVariation && most < 2 * delay
            // Audio may come steadily out of a queue, too.
            && rises.allSatisfy { $0[$0.count / 2] <= rules.queueingTime }
    }

    /// How far the round trip times since the estimate is low are above the shortest, in order, of each who measures.
    private func rises(_ roundTrips: RoundTrips) -> [[Double]] {
        guard let begin = delays.first(where: { $0.value >= Self.noticeable })?.time else { return [] }
        let bySource = Dictionary(grouping: roundTrips.since(begin), by: \.source)
        return bySource.values.map { $0.map(roundTrips.riseInCall).sorted() }
    }

    /// Whether audio jitters by less than it would behind packets on a path of that rate: with other evidence, such a path carries
    /// more.
    var isSteadier: Bool {
        guard jitters.count >= 2, delays.count >= Self.reports else { return false }
        let (delays, jitters) = (delays.map(\.value).sorted(), jitters.map(\.value).sorted())
        return delays[delays.count / 2] >= Self.noticeable
            && jitters[jitters.count / 2] < Self.likely * delays[delays.count / 2]
    }
}
