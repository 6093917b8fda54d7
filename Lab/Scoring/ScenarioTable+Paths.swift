// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

extension ScenarioTable {
    /// Long and irregular ways on bob's leg.
    static let timing: [Scenario] =
        [250.0, 600].map { time in
            var far = NetworkConditions()
            far.up.delay = time / 2
            far.down.delay = time / 2
            return bob(
                "rtt-\(Int(time))", "round trip time of \(Int(time)) ms on bob's leg", far,
                .fault(.latency, [.both], side: .local))
        }
        + [60.0, 200].map { time in
            var uneven = NetworkConditions()
            uneven.down.jitter = time
            return bob(
                "jitter-\(Int(time))", "each packet up to \(Int(time)) ms later on bob's downlink", uneven,
                .fault(.jitter, [.downlink], side: .local))
        }

    /// Nothing gets through at bob's.
    static let outage: Scenario = {
        var out = NetworkConditions()
        out.up.isOut = true
        out.down.isOut = true
        return bob(
            "outage-5s", "bob's leg carries nothing for 5 s", out, length: 5,
            .fault(.connection, [.downlink, .both], side: .local))
    }()

    /// Alice's device cannot encode in time.
    ///
    /// At bob's it may pass as a well network or as a fault of the other side's media, never as a network's.
    static let slowEncoder = Scenario(
        name: "slow-encoder", summary: "each of alice's pictures takes 60 ms longer to encode",
        duration: lead + trouble + 4 + tail,
        steps: [.init(lead, .encodeDelay(60)), .init(lead + trouble + 4, .encodeDelay(0))],
        spans: [
            Scenario.Span(start: 0),
            Scenario.Span(
                start: lead, alice: .fault(.cpu, nil),
                bob: Label(causes: [.none, .cpu, .media], sides: [.none, .remote])),
            Scenario.Span(
                start: lead + trouble + 4, alice: .recovering(settling: Settling.bandwidth),
                bob: .recovering()),
        ])

    /// Both legs lose packets.
    static let bothSides: Scenario = {
        var (up, down) = (NetworkConditions(), NetworkConditions())
        up.up.loss = 6
        down.down.loss = 6
        let end = lead + trouble
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
        var scenario = bob(
            "audio-only-loss-5-down", "5 % of packets lost on bob's downlink, no video", bad,
            .fault(.packetLoss, [.downlink], side: .local, settling: Settling.audioOnly),
            settling: Settling.audioOnly)
        scenario.setup.hasVideo = false
        return scenario
    }()

    /// One impairment of bob's leg, which alice does not notice.
    private static func bob(
        _ name: String, _ summary: String, _ conditions: NetworkConditions, length: Double = trouble,
        _ label: Label, settling: Double = Settling.usual
    ) -> Scenario {
        let end = lead + length
        return Scenario(
            name: name, summary: summary, duration: end + tail,
            steps: [
                .init(lead, .network(.bob, conditions)), .init(end, .network(.bob, NetworkConditions())),
            ],
            spans: [
                Scenario.Span(start: 0), Scenario.Span(start: lead, bob: label),
                Scenario.Span(start: end, bob: .recovering(settling: settling)),
            ])
    }
}
