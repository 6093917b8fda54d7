// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import Testing

@testable import CallQuality

@Suite("Devices that deliver nothing, and encoders that never start")
struct DeviceAtRestTests {
    @Test("A camera that stops while it is on is a device, not media that are missing on their way")
    func camera() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(5))
        stopCamera(&scenario)
        scenario.run(.init(12))
        #expect(scenario.published.last?.diagnosis.cause == .device)
        #expect(!scenario.published.contains { $0.diagnosis.cause == .media })
    }

    @Test("Microphone and camera that rest together are on hold, unless the camera is said to be on")
    func hold() {
        for isSaid in [false, true] {
            var scenario = CallScenario.publisher(isSaid ? .simulcast() : MediaIntent(role: .publisher))
            scenario.run(.init(5))
            stopCamera(&scenario)
            scenario.call.sent[0].isSampled = false
            scenario.call.sent[0].packetRate = 0
            scenario.run(.init(12))
            #expect(scenario.published.last?.diagnosis.cause == (isSaid ? .device : Diagnosis.Cause.none))
            #expect(isSaid || !scenario.published.contains { $0.diagnosis.cause.isProblem })
        }
    }

    @Test("After a hold the microphone may come back seconds before the camera")
    func end() {
        var scenario = CallScenario.publisher(MediaIntent(role: .publisher))
        scenario.run(.init(5))
        stopCamera(&scenario)
        scenario.call.sent[0].isSampled = false
        scenario.call.sent[0].packetRate = 0
        scenario.run(.init(12))
        scenario.call.sent[0].isSampled = true
        scenario.call.sent[0].packetRate = 50
        scenario.run(.init(3))
        #expect(!scenario.published.contains { $0.diagnosis.cause.isProblem })
    }

    @Test("An encoder that has frames and a target, and has never encoded one, is named")
    func encoder() {
        var scenario = CallScenario.publisher(MediaIntent(role: .publisher))
        for index in scenario.call.sent.indices.dropFirst() {
            scenario.call.sent[index].frameRate = 0
            scenario.call.sent[index].packetRate = 0
            scenario.call.sent[index].target = 300_000
        }
        scenario.run(.init(7))
        #expect(!scenario.published.contains { $0.diagnosis.cause.isProblem })
        scenario.run(.init(6))
        #expect(scenario.published.last?.diagnosis.cause == .media)
        for index in scenario.call.sent.indices.dropFirst() { scenario.call.sent[index].frameRate = 30 }
        scenario.run(.init(3))
        #expect(scenario.published.last?.diagnosis.cause != .media)
    }

    @Test("A recording says by `cameraOn` whether the camera is on")
    func member() throws {
        let intent = try JSONDecoder().decode(VideoIntent.self, from: Data(#"{"cameraOn":false}"#.utf8))
        #expect(intent.isCapturing == false)
        #expect(try String(decoding: JSONEncoder().encode(intent), as: UTF8.self) == #"{"cameraOn":false}"#)
    }

    private func stopCamera(_ scenario: inout CallScenario) {
        scenario.call.capturedFrameRate = 0
        for index in scenario.call.sent.indices.dropFirst() {
            scenario.call.sent[index].frameRate = 0
            scenario.call.sent[index].packetRate = 0
        }
    }
}

@Suite("Audio that waits for late packets")
struct JitterBufferingTests {
    private var buffering = JitterBuffering()
    private var time = 0.0

    private mutating func wait(_ delay: Double?, jitter: Double = 0.012, seconds: Int = 1) {
        for _ in 0..<seconds {
            let tick = Tick(time: time + 1000, previous: time)
            time += 1000
            buffering.handle(delay, jitter: jitter, isConcealed: false, at: tick)
        }
    }

    @Test("A buffer that grows far above its usual delay shows jitter until packets come steadily")
    mutating func growth() {
        wait(0.05, jitter: 0.002, seconds: 5)
        #expect(buffering.delay == nil)
        wait(0.2)
        #expect(buffering.delay == nil)
        wait(0.2, seconds: 2)
        #expect(buffering.delay == 0.2)
        wait(0.19, jitter: 0.002, seconds: 6)
        #expect(buffering.delay == 0.19)
        wait(0.18, jitter: 0.002)
        #expect(buffering.delay == nil)
        wait(0.18)
        #expect(buffering.delay == 0.18)
        wait(nil)
        #expect(buffering.delay == nil)
    }

    @Test("After one hiccup the jitter that is usual keeps nothing alive")
    mutating func hiccup() {
        wait(0.06, seconds: 20)
        wait(0.3, jitter: 0.03, seconds: 3)
        #expect(buffering.delay != nil)
        wait(0.25, seconds: 7)
        #expect(buffering.delay == nil)
    }

    @Test(
        "A buffer that was always long, or is still short, shows none",
        arguments: [(0.2, 0.22), (0.04, 0.14)])
    mutating func usual(before: Double, after: Double) {
        wait(before, seconds: 5)
        wait(after, seconds: 10)
        #expect(buffering.delay == nil)
    }
}

@Suite("What gets through where no one estimates it")
struct LessNeededTests {
    private var shortage = ThroughputShortage()
    private var time = 0.0

    private mutating func run(_ rate: Double, seconds: Int, isTroubled: Bool = false) {
        for _ in 0..<seconds {
            time += 1000
            shortage.handle(
                .init(rate: rate, isTroubled: isTroubled, hasLost: isTroubled), at: time, ConditionRules())
        }
    }

    @Test("Losses long after less was wanted do not make a narrow path of it")
    mutating func late() {
        run(1_600_000, seconds: 30)
        run(180_000, seconds: 25)
        run(180_000, seconds: 1, isTroubled: true)
        run(180_000, seconds: 5)
        #expect(shortage.heldDown == nil)
    }

    @Test("Nothing at all for long is no sign that less is wanted")
    mutating func outage() {
        run(1_600_000, seconds: 30)
        run(0, seconds: 20)
        run(300_000, seconds: 4, isTroubled: true)
        #expect(shortage.heldDown != nil)
    }

    @Test("Losses when the rate fell do")
    mutating func atOnce() {
        run(1_600_000, seconds: 30)
        run(180_000, seconds: 3, isTroubled: true)
        #expect(shortage.heldDown != nil)
    }
}

@Suite("Audio that is sent and does not come")
struct MissingAudioTests {
    private var inference = ReceivedIntent()
    private var time = 0.0

    private mutating func tick(_ packets: UInt64..., sent: UInt64?...) {
        let streams = zip(packets, sent).enumerated().map { index, stream in
            var audio = InboundDelta(index: index, key: UInt64(index), kind: .audio)
            audio.bytes = Increment(amount: stream.0 * 80)
            audio.packets = Increment(amount: stream.0)
            audio.sent = stream.1
            return audio
        }
        _ = inference.complete(
            MediaIntent(role: .subscriber), streams, Tick(time: time + 1000, previous: time))
        time += 1000
    }

    @Test("Two reports of the sender's after the newest packet say that audio is missing, until packets come")
    mutating func missing() {
        tick(50, sent: 50)
        tick(0, sent: 50)
        #expect(!inference.isMediaMissing)
        tick(0, sent: 3)
        #expect(!inference.isMediaMissing)
        tick(0, sent: 50)
        #expect(inference.isMediaMissing)
        tick(50, sent: nil)
        #expect(!inference.isMediaMissing)
    }

    @Test("One that is missing among others that come is so, whatever their order")
    mutating func amongOthers() {
        for _ in 0..<3 { tick(50, 0, 50, sent: 50, 50, 50) }
        #expect(inference.isMediaMissing)
    }
}
