// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterProtocol
import Testing

@testable import MediaRouter

/// Runs the rules on virtual time: what is needed is 200 kbps, the estimate is given from moment to moment.
private func changes(
    rules: AudioFallbackRules = .init(), seconds: Double, estimates: [(at: Double, estimate: Double?)]
) -> [String] {
    var fallback = AudioFallback(rules: rules)
    var changes: [String] = []
    var last = FallbackState.on
    for tick in 0...Int(seconds * 10) {
        let now = Double(tick) / 10
        let estimate = estimates.last { $0.at <= now }?.estimate
        fallback.handle(estimate: estimate, needed: 200_000, at: .milliseconds(tick * 100))
        if fallback.state != last { changes.append("\(now) \(fallback.state)") }
        last = fallback.state
    }
    return changes
}

@Suite("Audio fallback")
struct AudioFallbackTests {
    @Test("a network that is too small for two seconds is warned of, after four video is off")
    func warnsAndSwitchesOff() {
        #expect(
            changes(seconds: 30, estimates: [(0, 1_000_000), (10, 199_000)]) == ["12.0 warned", "14.0 off"])
    }

    @Test(
        "what recovers in time is not switched off",
        arguments: [(11.9, []), (13.9, ["12.0 warned", "13.9 on"]), (14.1, ["12.0 warned", "14.0 off"])]
            as [(Double, [String])])
    func lifts(recovery: Double, expected: [String]) {
        #expect(
            changes(seconds: 18, estimates: [(0, 1_000_000), (10, 150_000), (recovery, 200_000)]) == expected)
    }

    @Test("video comes back when the estimate has had a quarter to spare for five seconds")
    func comesBack() {
        #expect(
            changes(seconds: 60, estimates: [(0, 100_000), (10, 249_000), (20, 251_000)]) == [
                "2.0 warned", "4.0 off", "25.0 on",
            ])
    }

    @Test("a stumble of less than a second begins no new wait, a longer one does")
    func stumbles() {
        let short = [(0, 100_000), (10, 400_000), (12, 90_000), (12.9, 400_000)] as [(Double, Double?)]
        #expect(changes(seconds: 30, estimates: short).last == "15.0 on")
        let long = [(0, 100_000), (10, 400_000), (12, 90_000), (13.1, 400_000)] as [(Double, Double?)]
        #expect(changes(seconds: 30, estimates: long).last == "18.1 on")
    }

    @Test("each further switch-off within a minute doubles the wait, up to a minute")
    func doubles() {
        // The estimate is enough whenever video is off, and never when it is on.
        var fallback = AudioFallback(rules: .init())
        var offSince: Double?
        var waits: [Double] = []
        for tick in 0..<3000 {
            let now = Double(tick) / 10
            let estimate = fallback.state == .off ? 1_000_000.0 : 100_000
            fallback.handle(estimate: estimate, needed: 200_000, at: .milliseconds(tick * 100))
            if fallback.state == .off, offSince == nil { offSince = now }
            if fallback.state != .off, let since = offSince {
                waits.append((now - since).rounded())
                offSince = nil
            }
        }
        #expect(waits.prefix(6) == [5, 10, 20, 40, 60, 60])
    }

    @Test("a switch-off later than a minute after the return waits as long as the first")
    func forgets() {
        let changes = changes(
            seconds: 100, estimates: [(0, 100_000), (4.1, 900_000), (75, 100_000), (79.1, 900_000)])
        #expect(changes.suffix(3) == ["77.0 warned", "79.0 off", "84.1 on"])
    }

    @Test("what is unknown is not bad")
    func unknown() {
        #expect(changes(seconds: 30, estimates: [(0, nil)]).isEmpty)
        #expect(
            changes(seconds: 30, estimates: [(0, 100_000), (3, nil), (4, 100_000)])
                == ["2.0 warned", "3.0 on", "6.0 warned", "8.0 off"])
    }

    @Test("numbers that are none do not trap", arguments: [Double.nan, .infinity, -1, 1e300])
    func nonsense(number: Double) {
        let rules = AudioFallbackRules(
            warningAfter: number, offAfter: number, backAfter: number, spare: number, repeatWithin: number,
            longestBackAfter: number)
        _ = changes(rules: rules, seconds: 20, estimates: [(0, 100_000), (5, 900_000), (10, number)])
    }
}

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
        var policy = MediaPolicy(audioFallback: rules)
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

    @Test("probes go on while video is off")
    func probes() {
        let capped = FallbackScenario(estimates: [(0, 100_000)]).run(seconds: 60)
        let probes = capped.filter { $0.decision.probe != nil }
        let gaps = zip(probes.dropFirst(2), probes.dropFirst()).map { ($0.at - $1.at).rounded() }
        #expect(probes.count > 20 && gaps.allSatisfy { $0 == 2 })
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
        var policy = MediaPolicy(audioFallback: .init())
        for tick in 0..<100 {
            let input = LayerPolicyInput(
                layers: Self.single.map(\.observed), preference: .init(isVideoOn: false), allocated: 0,
                estimated: 50_000, sent: nil)
            let decision = policy.handle(input, at: .milliseconds(tick * 100))
            #expect(decision.fallback == .on && decision.probe == nil && decision.reason == .off)
        }
    }
}
