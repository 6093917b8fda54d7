// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import MediaPolicy

@Suite("Omitting frames")
struct FrameThinningTests {
    /// A layer of 30 frames a second in three temporal layers, as libwebrtc shares its bits out among them.
    static func layer(_ id: UInt64, height: Int, bitrate: Double, temporalLayers: Int = 3) -> ObservedLayer {
        var layer = PolicyScenario.Layer(id: id, height: height, bitrate: bitrate).observed
        layer.frameRate = 30
        let shares = [(0.4, 7.5), (0.6, 15), (1, 30)].suffix(temporalLayers)
        layer.steps = shares.map { .init(bitrate: bitrate * $0.0, frameRate: $0.1) }
        return layer
    }

    @Test(
        "a preferred frame rate is an upper limit, met by the nearest temporal layer below",
        arguments: [
            (nil, 30), (60, 30), (30, 30), (29, 30), (24, 15), (15, 15), (14, 15), (10, 7.5), (1, 7.5),
        ]
            as [(Double?, Double)])
    func limits(preferred: Double?, rate: Double) {
        #expect(
            FrameThinning.limit(Self.layer(1, height: 180, bitrate: 150_000), to: preferred).frameRate == rate
        )
    }

    @Test("where all frames depend on each other none is omitted")
    func noTemporalLayers() {
        let layer = Self.layer(1, height: 180, bitrate: 150_000, temporalLayers: 1)
        #expect(FrameThinning.limit(layer, to: 5) == layer)
        #expect(FrameThinning.halved(layer) == nil)
    }

    /// What one subscription is sent of two layers while its network carries what `estimate` says.
    private func run(
        seconds: Double, preference: LayerPreference = .init(), estimate: (Double) -> Double
    ) -> [(at: Double, decision: LayerDecision)] {
        var policy = ForwardingPolicy(audioFallback: .init())
        var moments: [(at: Double, decision: LayerDecision)] = []
        var sent: LayerID?
        for tick in 0..<Int(seconds * 10) {
            let now = Double(tick) / 10
            let input = LayerPolicyInput(
                layers: [
                    Self.layer(1, height: 180, bitrate: 135_000),
                    Self.layer(2, height: 360, bitrate: 500_000),
                ],
                preference: preference, allocated: (estimate(now) - 40_000) / 1.08, estimated: estimate(now),
                sent: sent)
            let decision = policy.handle(input, at: .milliseconds(tick * 100))
            sent = decision.target
            moments.append((now, decision))
        }
        return moments
    }

    @Test("when the smallest layer does not fit, half of its frames do, without a warning")
    func halves() {
        let moments = run(seconds: 40) { $0 < 10 ? 2_000_000 : 165_000 }
        #expect(moments.allSatisfy { $0.decision.fallback == .on })
        let last = moments.last?.decision
        #expect(last?.target == LayerID(rawValue: 1) && last?.highestTemporalLayer == 1)
        #expect(last?.reason == .bandwidth)
        #expect(moments.first { $0.at == 9 }?.decision.highestTemporalLayer == 2)
    }

    @Test("all frames come back when they have fitted for a while")
    func comesBack() {
        let moments = run(seconds: 40) { $0 < 10 ? 165_000 : 240_000 }
        let full = moments.first { $0.at > 5 && $0.decision.highestTemporalLayer == 2 }
        #expect(full?.at == 12)
        #expect(full?.decision.target == LayerID(rawValue: 1))
    }

    @Test("half of the smallest layer's frames that do not fit are too much")
    func tooLittle() {
        let moments = run(seconds: 20) { $0 < 5 ? 2_000_000 : 110_000 }
        #expect(moments.first { $0.decision.fallback == .off }?.at == 9)
    }

    @Test("a preferred frame rate makes room for a larger layer")
    func roomForMore() {
        let moments = run(seconds: 20, preference: .init(maximumFrameRate: 15)) { _ in 430_000 }
        #expect(moments.last?.decision.target == LayerID(rawValue: 2))
        #expect(moments.last?.decision.highestTemporalLayer == 1)
        #expect(run(seconds: 20) { _ in 430_000 }.last?.decision.target == LayerID(rawValue: 1))
    }

    @Test("what arrives is counted by temporal layer; those that nothing comes of are none")
    func meter() {
        var meter = LayerMeter()
        var observed: [ObservedLayer] = []
        for tick in 0...30 {
            let frames = UInt64(tick)
            let counters = LayerCounters(
                id: LayerID(rawValue: 1), rid: nil, width: 320, height: 180, frames: 3 * frames,
                bytes: 300 * frames, sinceLastFrame: .zero,
                temporal: [
                    .init(frames: frames, bytes: 150 * frames),
                    .init(frames: 2 * frames, bytes: 150 * frames),
                    .init(frames: 0, bytes: 0), .init(frames: 0, bytes: 0),
                ])
            observed = meter.handle([counters], at: .milliseconds(tick * 100))
        }
        #expect(
            observed.first?.steps == [
                .init(bitrate: 12_000, frameRate: 10), .init(bitrate: 24_000, frameRate: 30),
            ])
    }
}
