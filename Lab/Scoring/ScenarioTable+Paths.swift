// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

extension ScenarioTable {
    /// Long paths and paths with jitter.
    static let timing: [Scenario] =
        [250.0, 600].map { time in
            path(
                "rtt-\(Int(time))", "round trip time of \(Int(time)) ms on bob's leg",
                .network(.bob, far(time)),
                .network(.bob, NetworkConditions()), bob: .fault(.latency, [.both], side: .local))
        } + [farAlice] + [60.0, 200].map { jitter in irregular(jitter, .down) } + [irregular(200, .up)]

    private static func far(_ time: Double) -> NetworkConditions {
        var far = NetworkConditions()
        far.up.delay = time / 2
        far.down.delay = time / 2
        return far
    }

    /// A long path to alice, which bob may notice or not: his own leg is fine.
    private static let farAlice = path(
        "rtt-600-alice", "round trip time of 600 ms on alice's leg", .network(.alice, far(600)),
        .network(.alice, NetworkConditions()), alice: .fault(.latency, [.both]),
        bob: Label(causes: [.none, .latency], sides: [.none, .remote]))

    /// Packets that come in groups.
    private static func irregular(_ jitter: Double, _ direction: NetworkConditions.Direction) -> Scenario {
        let (party, way) =
            direction == .up ? (Scenario.Party.alice, NetworkDirection.uplink) : (.bob, .downlink)
        var own = Label.fault(.jitter, [way])
        if jitter >= 200 {
            // Packets that wait for others make round trips longer by more than 200 ms on average: that is
            // true as well.
            own.causes = [.jitter, .latency]
            own.directions = [way, .both]
        }
        var bobs = own
        bobs.sides = direction == .up ? [.remote] : [.local]
        return path(
            "jitter-\(Int(jitter))-\(direction.rawValue)",
            "packets up to \(Int(jitter)) ms earlier or later, \(words(direction))",
            .irregular(party, direction, jitter), .irregular(party, direction, nil),
            alice: direction == .up ? own : .well, bob: bobs)
    }

    /// Nothing gets through on a leg.
    static let outages: [Scenario] = {
        var out = NetworkConditions()
        out.up.isOut = true
        out.down.isOut = true
        return [
            path(
                "outage-5s", "bob's leg carries nothing for 5 s", .network(.bob, out),
                .network(.bob, NetworkConditions()), length: 5,
                bob: .fault(.connection, [.downlink, .both], side: .local)),
            path(
                "outage-5s-alice", "alice's leg carries nothing for 5 s", .network(.alice, out),
                .network(.alice, NetworkConditions()), length: 5,
                alice: .fault(.connection, [.uplink, .both]),
                bob: .fault(.connection, [.uplink, .both], side: .remote)),
        ]
    }()

    /// Alice's device cannot encode in time.
    ///
    /// At bob's it may pass as a well network or as a fault of the other side's media, never as a network's.
    static let slowEncoder = Scenario(
        name: "slow-encoder", summary: "each of alice's frames takes 60 ms longer to encode",
        duration: lead + problem + 4 + tail,
        steps: [.init(lead, .encodeDelay(60)), .init(lead + problem + 4, .encodeDelay(0))],
        spans: [
            Scenario.Span(start: 0),
            Scenario.Span(
                start: lead, alice: .fault(.cpu, nil),
                bob: Label(causes: [.none, .cpu, .media], sides: [.none, .remote])),
            Scenario.Span(
                start: lead + problem + 4, alice: .recovering(settling: Settling.bandwidth),
                bob: .recovering()),
        ])

    /// Both legs lose packets.
    static let bothSides: Scenario = {
        var (up, down) = (NetworkConditions(), NetworkConditions())
        up.up.loss = 6
        down.down.loss = 6
        let end = lead + problem
        return Scenario(
            name: "both-sides", summary: "6 % of packets lost on alice's uplink and on bob's downlink",
            duration: end + tail,
            steps: [
                .init(lead, .network(.alice, up)), .init(lead, .network(.bob, down)),
                .init(end, .network(.alice, NetworkConditions())),
                .init(end, .network(.bob, NetworkConditions())),
            ],
            spans: [
                Scenario.Span(start: 0),
                Scenario.Span(
                    start: lead, alice: .fault(.packetLoss, [.uplink]),
                    bob: .fault(.packetLoss, nil, side: .bothOrUnclear)),
                Scenario.Span(start: end, alice: .recovering(), bob: .recovering()),
            ])
    }()

    /// Loss in a call without video.
    static let audioOnlyLoss: Scenario = {
        var bad = NetworkConditions()
        bad.down.loss = 5
        var scenario = path(
            "audio-only-loss-5-down", "5 % of packets lost on bob's downlink, no video", .network(.bob, bad),
            .network(.bob, NetworkConditions()), length: problem + 4,
            bob: .fault(.packetLoss, [.downlink], side: .local, settling: Settling.audioOnly),
            settling: Settling.audioOnly)
        scenario.setup.hasVideo = false
        return scenario
    }()

    /// A call without video on which nothing is wrong.
    static let audioOnlyClean: Scenario = {
        var scenario = Scenario(name: "clean-audio-only", summary: "no video", duration: 25)
        scenario.setup.hasVideo = false
        return scenario
    }()

    /// One impairment of a way, and its end.
    private static func path(
        _ name: String, _ summary: String, _ begin: Scenario.Action, _ finish: Scenario.Action,
        length: Double = problem, alice: Label = .well, bob: Label, settling: Double = Settling.usual
    ) -> Scenario {
        let end = lead + length
        return Scenario(
            name: name, summary: summary, duration: end + tail,
            steps: [.init(lead, begin), .init(end, finish)],
            spans: [
                Scenario.Span(start: 0), Scenario.Span(start: lead, alice: alice, bob: bob),
                Scenario.Span(
                    start: end, alice: alice.isFault ? .recovering(settling: settling) : .well,
                    bob: .recovering(settling: settling)),
            ])
    }
}
