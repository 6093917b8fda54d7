// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import TestSupport
import Testing

@testable import MediaPolicy

/// One subscription on virtual time: an idealised publisher and a forwarder that switches after
/// `keyFrameDelay`.
struct PolicyScenario {
    /// What the network and the publisher are like from `at` on, in seconds.
    struct Step {
        var at: Double
        var allocated: Double?
        var layers: [Layer]? = nil
        var preference: LayerPreference? = nil
    }

    struct Layer {
        var id: UInt64
        var height: Int
        var bitrate: Double?
        var isPresent = true
        var hasSent = true
        var isArriving = true
    }

    /// A layer change as the forwarder is sent it; `layer` 0 is none.
    struct Change: Equatable, CustomStringConvertible {
        var at: Double
        var layer: UInt64
        var stopsFirst = false

        var description: String { "\(at): \(layer)\(stopsFirst ? " stop first" : "")" }
    }

    static let threeLayers = [
        Layer(id: 1, height: 180, bitrate: 150_000), Layer(id: 2, height: 360, bitrate: 500_000),
        Layer(id: 3, height: 720, bitrate: 1_500_000),
    ]

    var steps: [Step]
    var keyFrameDelay = 0.2
    var configuration = LayerPolicyConfiguration()

    /// Runs for `seconds` and returns the changes and the last decision.
    func run(seconds: Double) -> (changes: [Change], last: LayerDecision?) {
        var policy = LayerPolicy(configuration: configuration)
        var changes: [Change] = []
        var last: LayerDecision?
        var sent: LayerID?
        var pending: (layer: LayerID, at: Double)?
        var layers = Self.threeLayers
        var preference = LayerPreference()
        for tick in 0..<Int(seconds * 10) {
            let now = Double(tick) / 10
            let step = steps.last { $0.at <= now }
            layers = step?.layers ?? layers
            preference = step?.preference ?? preference
            if let ready = pending, ready.at <= now,
                layers.contains(where: { $0.id == ready.layer.rawValue && $0.isPresent })
            {
                sent = ready.layer
                pending = nil
            }
            let input = LayerPolicyInput(
                layers: layers.map(\.observed), preference: preference, allocated: step?.allocated, sent: sent
            )
            let decision = policy.handle(input, at: .milliseconds(tick * 100))
            if decision.target != last?.target {
                changes.append(
                    Change(at: now, layer: decision.target?.rawValue ?? 0, stopsFirst: decision.stopsFirst))
                if decision.stopsFirst || decision.target == nil { sent = nil }
                pending = decision.target.map { ($0, now + keyFrameDelay) }
            }
            last = decision
        }
        return (changes, last)
    }
}

extension PolicyScenario.Layer {
    var observed: ObservedLayer {
        ObservedLayer(
            id: LayerID(rawValue: id), rid: "qhf".map(String.init)[safe: Int(id) - 1], width: height * 16 / 9,
            height: height, bitrate: bitrate, frameRate: 25, isArriving: isPresent && isArriving,
            isPresent: isPresent, hasSent: hasSent)
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

@Suite("The media policy")
struct LayerPolicyTests {
    @Test("a leg starts with what fits the start bitrate and rises as soon as the estimate is known")
    func startsAndRises() {
        let scenario = PolicyScenario(steps: [
            .init(at: 0, allocated: nil), .init(at: 0.5, allocated: 4_000_000),
        ])
        let (changes, last) = scenario.run(seconds: 5)
        #expect(changes == [.init(at: 0, layer: 1), .init(at: 0.8, layer: 3)])
        #expect(last?.reason == .wanted)
    }

    @Test("a layer that no longer fits is stopped at once")
    func fallsAtOnce() {
        let scenario = PolicyScenario(steps: [
            .init(at: 0, allocated: 4_000_000), .init(at: 10, allocated: 450_000),
        ])
        let (changes, last) = scenario.run(seconds: 20)
        #expect(changes == [.init(at: 0, layer: 3), .init(at: 10, layer: 1, stopsFirst: true)])
        #expect(last?.reason == .bandwidth)
        #expect(last?.wanted == LayerID(rawValue: 3))
    }

    @Test(
        "an estimate in free fall is trusted by half",
        arguments: [(1_000_000.0, 2), (990_000, 1)] as [(Double, UInt64)])
    func freeFall(estimate: Double, layer: UInt64) {
        let scenario = PolicyScenario(steps: [
            .init(at: 0, allocated: 4_000_000), .init(at: 10, allocated: estimate),
        ])
        #expect(scenario.run(seconds: 10.5).changes.last == .init(at: 10, layer: layer, stopsFirst: true))
    }

    @Test("a small excess has to last, a passing one changes nothing")
    func smallExcess() {
        let passing = PolicyScenario(steps: [
            .init(at: 0, allocated: 4_000_000), .init(at: 10, allocated: 1_450_000),
            .init(at: 10.2, allocated: 1_800_000),
        ])
        #expect(passing.run(seconds: 20).changes == [.init(at: 0, layer: 3)])
        let lasting = PolicyScenario(steps: [
            .init(at: 0, allocated: 4_000_000), .init(at: 10, allocated: 1_450_000),
        ])
        #expect(
            lasting.run(seconds: 20).changes == [
                .init(at: 0, layer: 3), .init(at: 10.2, layer: 2, stopsFirst: true),
            ])
    }

    /// The layer that an estimate leads to in the end: 15 % must be to spare on the uplink.
    @Test(
        "going up needs fifteen percent to spare",
        arguments: [(574_000.0, 1), (576_000, 2), (1_724_000, 2), (1_726_000, 3)] as [(Double, UInt64)])
    func spare(estimate: Double, layer: UInt64) {
        let scenario = PolicyScenario(steps: [
            .init(at: 0, allocated: 200_000), .init(at: 1, allocated: estimate),
        ])
        #expect(scenario.run(seconds: 30).changes.last?.layer == layer)
    }

    @Test("without fallback the smallest layer continues when not even that fits, and says why")
    func smallestGoesOn() {
        let scenario = PolicyScenario(steps: [.init(at: 0, allocated: 90_000), .init(at: 5, allocated: 0)])
        let (changes, last) = scenario.run(seconds: 60)
        #expect(changes == [.init(at: 0, layer: 1)])
        #expect(last?.reason == .bandwidth)
    }

    @Test("each rise that fails doubles the wait for the next one")
    func backoff() {
        // Layer 3 seems to fit whenever it is not sent, and never does when it is.
        var policy = LayerPolicy()
        var rises: [Double] = []
        var sent = LayerID(rawValue: 1)
        for tick in 0..<1200 {
            let allocated = sent.rawValue == 3 ? 900_000.0 : 2_000_000
            let input = LayerPolicyInput(
                layers: PolicyScenario.threeLayers.map(\.observed).filter { $0.id.rawValue != 2 },
                preference: .init(), allocated: allocated, sent: sent)
            let decision = policy.handle(input, at: .milliseconds(tick * 100))
            if decision.target?.rawValue == 3, sent.rawValue == 1 { rises.append(Double(tick) / 10) }
            sent = decision.target ?? sent
        }
        let waits = zip(rises.dropFirst(), rises).map { $0 - $1 }
        #expect(waits.count >= 4)
        #expect(zip(waits.dropFirst(), waits).allSatisfy { $0 >= $1 })
        #expect(waits.allSatisfy { $0 <= 31 })
        #expect((waits.last ?? 0) > 15)
    }

    @Test("layers that never sent are no part of the stream")
    func emptyLayerIsAbsent() {
        var layers = PolicyScenario.threeLayers
        layers[2] = .init(id: 3, height: 0, bitrate: nil, isPresent: false, hasSent: false)
        let scenario = PolicyScenario(steps: [.init(at: 0, allocated: 5_000_000, layers: layers)])
        let (changes, last) = scenario.run(seconds: 5)
        #expect(changes == [.init(at: 0, layer: 2)])
        #expect(last?.reason == .wanted)
        #expect(last?.wanted == LayerID(rawValue: 2))
    }

    @Test("a layer that stops is left for one that sends, and says so")
    func layerStops() {
        var stopped = PolicyScenario.threeLayers
        stopped[2].isPresent = false
        let scenario = PolicyScenario(steps: [
            .init(at: 0, allocated: 5_000_000), .init(at: 5, allocated: 5_000_000, layers: stopped),
            .init(at: 10, allocated: 5_000_000, layers: PolicyScenario.threeLayers),
        ])
        let (changes, last) = scenario.run(seconds: 20)
        #expect(changes.map(\.layer) == [3, 2, 3])
        #expect(changes[1].at == 5)
        #expect(last?.reason == .wanted)
        #expect(scenario.run(seconds: 9).last?.reason == .layerAbsent)
    }

    @Test("a publisher whose layers all fall silent keeps its layer, and the reason says that nothing comes")
    func allSilent() {
        let silent = PolicyScenario.threeLayers.map { layer in
            var layer = layer
            layer.isArriving = false
            return layer
        }
        let scenario = PolicyScenario(steps: [
            .init(at: 0, allocated: 5_000_000), .init(at: 2, allocated: 5_000_000, layers: silent),
        ])
        let (changes, last) = scenario.run(seconds: 5)
        #expect(changes == [.init(at: 0, layer: 3)])
        #expect(last?.reason == .layerAbsent)
    }

    @Test("a stream without video has an absent layer")
    func noLayers() {
        let scenario = PolicyScenario(steps: [.init(at: 0, allocated: nil, layers: [])])
        let (changes, last) = scenario.run(seconds: 2)
        #expect(changes.isEmpty)
        #expect(last?.reason == .layerAbsent)
    }

    @Test(
        "no layer above the preferred maximum is chosen",
        arguments: [
            (LayerPreference(maximumHeight: 360), 2), (.init(maximumHeight: 359), 1),
            (.init(maximumHeight: 10), 1),
            (.init(maximumWidth: 640), 2), (.init(maximumWidth: 1280), 3),
        ] as [(LayerPreference, UInt64)])
    func preference(preference: LayerPreference, layer: UInt64) {
        let scenario = PolicyScenario(steps: [.init(at: 0, allocated: 9_000_000, preference: preference)])
        let (changes, last) = scenario.run(seconds: 3)
        #expect(changes == [.init(at: 0, layer: layer)])
        #expect(last?.reason == .wanted)
    }

    @Test("a changed preference is followed at once when it is smaller, within a second when it is larger")
    func changedPreference() {
        let scenario = PolicyScenario(steps: [
            .init(at: 0, allocated: 9_000_000),
            .init(at: 20, allocated: 9_000_000, preference: .init(maximumHeight: 180)),
            .init(at: 40, allocated: 9_000_000, preference: .init()),
        ])
        #expect(
            scenario.run(seconds: 60).changes == [
                .init(at: 0, layer: 3), .init(at: 20, layer: 1), .init(at: 40.3, layer: 3),
            ])
    }

    @Test("video that is switched off is off, and comes back")
    func off() {
        let scenario = PolicyScenario(steps: [
            .init(at: 0, allocated: 9_000_000),
            .init(at: 2, allocated: 9_000_000, preference: .init(isVideoOn: false)),
            .init(at: 4, allocated: 9_000_000, preference: .init()),
        ])
        #expect(scenario.run(seconds: 3).last?.reason == .off)
        #expect(
            scenario.run(seconds: 6).changes == [
                .init(at: 0, layer: 3), .init(at: 2, layer: 0, stopsFirst: true), .init(at: 4, layer: 3),
            ])
    }

    @Test("a chosen layer whose key frame has not come yet is waited for")
    func waitsForKeyFrame() {
        let scenario = PolicyScenario(steps: [.init(at: 0, allocated: 9_000_000)], keyFrameDelay: 1)
        #expect(scenario.run(seconds: 0.5).last?.reason == .waitingForKeyFrame)
        #expect(scenario.run(seconds: 2).last?.reason == .wanted)
    }

    @Test("no input makes the policy choose a layer that is not there")
    func neverInventsLayers() {
        var random = SeededRandom(seed: 20_261)
        for round in 0..<300 {
            var policy = LayerPolicy()
            var sent: LayerID?
            for tick in 0..<100 {
                let layers = (1...UInt64(1 + random.next(4))).map { id in
                    PolicyScenario.Layer(
                        id: id, height: random.next(1080),
                        bitrate: random.next(3) == 0 ? nil : Double(random.next(3_000_000)),
                        isPresent: random.next(3) > 0, hasSent: random.next(4) > 0
                    ).observed
                }
                let input = LayerPolicyInput(
                    layers: layers, preference: .init(isVideoOn: random.next(10) > 0),
                    allocated: random.next(4) == 0 ? nil : Double(random.next(5_000_000)), sent: sent)
                let decision = policy.handle(input, at: .milliseconds(tick * 100))
                if let target = decision.target, decision.reason != .layerAbsent {
                    #expect(layers.contains { $0.id == target }, "round \(round), tick \(tick)")
                }
                #expect(decision.target == nil || input.preference.isVideoOn)
                sent = random.next(2) == 0 ? decision.target : sent
            }
        }
    }
}
