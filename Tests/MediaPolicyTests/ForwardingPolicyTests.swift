// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import MediaPolicy

/// One subscription with fallback on virtual time; the forwarder sends what is chosen 0.2 s later.
private struct FallbackScenario {
    var layers = PolicyScenario.threeLayers
    var rules: AudioFallbackRules? = .init()
    var estimates: [(at: Double, estimate: Double)]

    struct Moment {
        var at: Double
        var decision: LayerDecision
    }

    func run(seconds: Double) -> [Moment] {
        var policy = ForwardingPolicy(audioFallback: rules)
        var moments: [Moment] = []
        var sent: LayerID?
        var chosenAt = 0.0
        for tick in 0..<Int(seconds * 10) {
            let now = Double(tick) / 10
            let estimate = estimates.last { $0.at <= now }?.estimate ?? 0
            let input = LayerPolicyInput(
                layers: layers.map(\.observed), preference: .init(),
                allocated: sent == nil ? 30_000 : max(0, (estimate - 40_000) / 1.08), estimated: estimate,
                sent: sent)
            let decision = policy.handle(input, at: .milliseconds(tick * 100))
            if decision.target != moments.last?.decision.target { chosenAt = now }
            if decision.target == nil || decision.stopsFirst { sent = nil }
            if now - chosenAt >= 0.2 { sent = decision.target }
            moments.append(Moment(at: now, decision: decision))
        }
        return moments
    }
}

@Suite("The media policy with audio fallback")
struct MediaPolicyTests {
    private static let single = [PolicyScenario.Layer(id: 1, height: 360, bitrate: 500_000)]

    @Test("a layer that by far does not fit is withheld after a second, and switched off after four")
    func withholds() {
        let moments = FallbackScenario(layers: Self.single, estimates: [(0, 2_000_000), (10, 180_000)])
            .run(seconds: 30)
        #expect(moments.first { $0.at > 10 && $0.decision.target == nil }?.at == 11)
        #expect(moments.first { $0.decision.fallback == .warned }?.at == 12)
        let off = moments.first { $0.decision.fallback == .off }
        #expect(off?.at == 14 && off?.decision.reason == .fallback)
        #expect(off?.decision.wanted == LayerID(rawValue: 1))
        #expect(moments.allSatisfy { $0.at < 11 || $0.decision.target == nil })
    }

    @Test("a low layer that fits keeps running")
    func keepsLowLayer() {
        let moments = FallbackScenario(estimates: [(0, 5_000_000), (10, 210_000)]).run(seconds: 60)
        #expect(moments.allSatisfy { $0.decision.fallback == .on })
        #expect(moments.last?.decision.target == LayerID(rawValue: 1))
    }

    @Test("without fallback nothing is withheld")
    func withoutFallback() {
        let moments = FallbackScenario(layers: Self.single, rules: nil, estimates: [(0, 100_000)])
            .run(seconds: 30)
        #expect(
            moments.allSatisfy { $0.decision.target == LayerID(rawValue: 1) && $0.decision.fallback == .on })
    }

    @Test("probes continue while video is off")
    func probes() {
        let capped = FallbackScenario(estimates: [(0, 100_000)]).run(seconds: 60)
        let probes = capped.filter { $0.decision.probe != nil }
        // The first ones come sooner, of the least that did not fit and of video that is off.
        let later = probes.filter { $0.at > 15 }
        let gaps = zip(later.dropFirst(), later).map { ($0.at - $1.at).rounded() }
        #expect(later.count > 20 && gaps.allSatisfy { $0 == 2 })
        // The smallest layer, the audio, a quarter to spare, and a margin.
        #expect(probes.allSatisfy { $0.decision.probe == (150_000 * 1.08 + 40_000) * 1.25 * 1.2 })
    }

    @Test("video comes back with the largest layer that fits")
    func comesBack() {
        let moments = FallbackScenario(estimates: [(0, 100_000), (20, 900_000)]).run(seconds: 30)
        #expect(moments.first { $0.at > 20 && $0.decision.fallback == .on }?.at == 25)
        #expect(moments.last?.decision.target == LayerID(rawValue: 2))
    }

    @Test("while the subscriber wants no video there is nothing to switch off")
    func rests() {
        var policy = ForwardingPolicy(audioFallback: .init())
        for tick in 0..<100 {
            let input = LayerPolicyInput(
                layers: Self.single.map(\.observed), preference: .init(isVideoOn: false), allocated: 0,
                estimated: 50_000, sent: nil)
            let decision = policy.handle(input, at: .milliseconds(tick * 100))
            #expect(decision.fallback == .on && decision.probe == nil && decision.reason == .off)
        }
    }
}
