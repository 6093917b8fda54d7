// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import TestSupport
import WebRTCStats

extension CallScenario {
    /// One step of whatever can happen to a call: network, devices, processors, intents, facts from
    /// elsewhere.
    mutating func runByChance(_ generator: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...3, using: &generator) { change(&generator) }
        run(.init(Int.random(in: 1...9, using: &generator)))
    }

    private mutating func change(_ generator: inout SeededRandom) {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0...1: call.setLoss(generator.one(of: [0.0, 0, 0.02, 0.05, 0.2]))
        case 2...4: congest(&generator)
        case 5: run(.init(1, jitter: generator.one(of: [0.002, 0.025, 0.07])))
        case 6: call.setFlowing(!generator.chance(2))
        case 7: call.iceState = generator.chance(3) ? .disconnected : .connected
        case 8...10: changeDevices(&generator)
        case 11...13: changeCoding(&generator)
        case 14...15: changeIntent(&generator)
        case 16...17: changeFacts(&generator)
        case 18: call.replacePeerConnection()
        default: recover()
        }
    }

    private mutating func congest(_ generator: inout SeededRandom) {
        let isCongested = generator.chance(2)
        run(
            .init(
                1, loss: isCongested && generator.chance(2) ? 0.15 : 0,
                estimate: isCongested ? Double.random(in: 1e5...1e6, using: &generator) : 5_000_000,
                roundTripTime: isCongested ? generator.one(of: [0.02, 0.2, 0.6]) : 0.02,
                isLimited: isCongested))
    }

    private mutating func changeDevices(_ generator: inout SeededRandom) {
        let level = generator.one(of: [0.0, 0.0005, 0.2, 0.6])
        for index in call.sent.indices { call.sent[index].audioLevel = level }
        for index in call.received.indices {
            call.received[index].audioLevel = level
            call.received[index].concealment =
                generator.one(of: [0.0, 0, 0.02, 0.05, 0.3])
        }
        call.capturedFrameRate = generator.one(of: [30.0, 30, 14, 18, 22])
        intent.audio?.outputVolume = generator.one(of: [0.1, 0.8, 1])
    }

    private mutating func changeCoding(_ generator: inout SeededRandom) {
        let share = generator.one(of: [0.1, 0.55, 0.7, 0.85, 0.95])
        let rate = generator.one(of: [0.0, 15, 30])
        for index in call.sent.indices where call.sent[index].kind == .video {
            call.sent[index].codingShare = share
            call.sent[index].frameRate = rate
            call.sent[index].limitation =
                generator.one(of: [.notLimited, .cpu, .bandwidth])
            call.sent[index].isActive = !generator.chance(4)
        }
        for index in call.received.indices where call.received[index].kind == .video {
            call.received[index].codingShare = share
            call.received[index].frameRate = rate
            call.received[index].completeFrameRate = generator.chance(2) ? 40 : nil
            call.received[index].isActive = !generator.chance(4)
            if generator.chance(3) { call.received[index].freeze(seconds: 0.4) }
        }
    }

    private mutating func changeIntent(_ generator: inout SeededRandom) {
        intent.audio?.muted = generator.chance(4)
        intent.audio?.discontinuous = generator.chance(5)
        intent.video?.isCapturing = generator.chance(5) ? false : nil
        intent.video?.videoType = generator.chance(4) ? .screen : .camera
        intent.video?.preferredFrameRate = 30
        if generator.chance(6) { intent.video = intent.video == nil ? MediaIntent.simulcast().video : nil }
    }

    private mutating func changeFacts(_ generator: inout SeededRandom) {
        remote.senderStatsTrack = generator.chance(2)
        remote.leg?.value.reason = LayerReason.allCases.randomElement(using: &generator)
        guard !generator.chance(3) else {
            remote.publisher = nil
            return
        }
        let transport = TransportStats(
            networkCondition: NetworkCondition.allCases.randomElement(using: &generator) ?? .unknown,
            networkConditionReason: NetworkReason.allCases.randomElement(using: &generator) ?? .unknown)
        remote.publisher = Aged(
            PublisherMetrics(
                transport: generator.chance(4) ? nil : transport, audioMuted: generator.chance(4),
                qualityLimitationReason: generator.chance(3) ? .cpu : QualityLimitationReason.none,
                cause: Diagnosis.Cause.allCases.randomElement(using: &generator)),
            age: 0.5)
    }

    /// All is fine again.
    private mutating func recover() {
        call.setLoss(0)
        call.setFlowing(true)
        call.iceState = .connected
        call.capturedFrameRate = 30
        for index in call.sent.indices {
            call.sent[index].isActive = true
            call.sent[index].codingShare = 0.1
        }
        for index in call.received.indices {
            call.received[index].isActive = true
            call.received[index].codingShare = 0.1
            call.received[index].concealment = 0
        }
        run(.init(1, estimate: 5_000_000, roundTripTime: 0.02, isLimited: false, jitter: 0.002))
    }
}

extension SeededRandom {
    fileprivate mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self)]
    }
}
