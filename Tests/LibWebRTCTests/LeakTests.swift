// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Foundation
import TestSupport
import Testing
import WebRTCStats

@testable import LibWebRTC

extension EngineTests {
    /// Counts of live objects, threads and descriptors hold for a whole process, so each test has one of its
    /// own.
    @Suite("Leaks")
    struct LeakTests {
        @Test("20 rounds of create, call, destroy leave no object, thread or descriptor behind")
        func rounds() async {
            await #expect(processExitsWith: .success) {
                let engine = try NativeEngine()
                // The first round starts what a process has only once.
                try await holdCall(engine, round: 0)
                let before = try await Holdings.settled()
                for round in 1...20 { try await holdCall(engine, round: round) }
                let after = try await Holdings.settled()
                try expect(after.threads <= before.threads, "threads: \(before) then \(after)")
                try expect(after.descriptors <= before.descriptors, "descriptors: \(before) then \(after)")
                withExtendedLifetime(engine) {}
            }
        }

        @Test("an engine takes its threads with it, whoever releases it last")
        func engines() async {
            await #expect(processExitsWith: .success) {
                let before = try await Holdings.settled()
                for _ in 0..<10 {
                    let party = try Party(try NativeEngine())
                    _ = try await party.peer.createOffer(restartICE: false)
                }
                try await eventually("no engine") { sl_live_objects(Int32(SL_LIVE_ENGINE)) == 0 }
                try await eventually("threads gone") { try Holdings.now().threads <= before.threads + 1 }
            }
        }

        @Test("every operation under way ends when its peer connection goes")
        func operationsInFlight() async {
            await #expect(processExitsWith: .success) {
                let engine = try NativeEngine()
                for closes in [true, false] { try await abandonOperations(engine, closes: closes) }
                try await eventually("no operation left") { sl_live_objects(Int32(SL_LIVE_OPERATION)) == 0 }
                _ = try await Holdings.settled()
            }
        }

        @Test("objects that could not be made leave nothing behind")
        func failures() async {
            await #expect(processExitsWith: .success) {
                let engine = try NativeEngine()
                for _ in 0..<20 {
                    let party = try Party(engine)
                    try expectThrows { try party.peer.addVideo(nil, NativeSenderConfig(codec: "AV2")) }
                    try expectThrows { try NativeVideoSource.card(width: 0) }
                    try expectThrows { try NativeAudioSource(file: "/no/such.wav", level: 1) }
                    try expectThrows { try NativeVideoSource(file: "/no/such.y4m") }
                }
                _ = try await Holdings.settled()
                withExtendedLifetime(engine) {}
            }
        }
    }
}

/// What the process holds on to.
private struct Holdings: Equatable {
    var threads: Int
    var descriptors: Int

    static func now() throws -> Holdings {
        func count(_ path: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: path).count
        }
        return Holdings(threads: try count("/proc/self/task"), descriptors: try count("/proc/self/fd"))
    }

    /// What is held once everything but the engine has gone.
    static func settled() async throws -> Holdings {
        for kind in SL_LIVE_PEER..<SL_LIVE_KIND_COUNT {
            try await eventually("kind \(kind) gone") { sl_live_objects(Int32(kind)) == 0 }
        }
        // A thread that has ended its work takes a moment to leave the list.
        var last = try now()
        try await eventually("a steady number of threads") {
            try await Task.sleep(for: .milliseconds(200))
            defer { last = (try? now()) ?? last }
            return try now() == last
        }
        return last
    }
}

/// A failed expectation that ends the child process.
private struct Failed: Error, CustomStringConvertible {
    let description: String
}

private func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw Failed(description: text()) }
}

private func expectThrows(_ body: () throws -> some Any) throws {
    do { _ = try body() } catch { return }
    throw Failed(description: "should have thrown")
}

/// A short call with everything in it, taken down in an order that depends on `round`.
private func holdCall(_ engine: NativeEngine, round: Int) async throws {
    let network = NativeConditioner(seed: UInt64(round))
    let call = TestCall(try Party(engine, conditioner: network), try Party(engine))
    let video = try NativeVideoSource.card(), audio = NativeAudioSource.tone()
    var senders = [
        try call.caller.peer.addVideo(video, NativeSenderConfig(codec: "VP8")),
        try call.caller.peer.addAudio(audio, NativeSenderConfig()),
    ]
    let channel = try call.caller.peer.createDataChannel(
        label: "c", isOrdered: false, maxRetransmits: 0, protocol: "p")
    call.caller.watch(channel)
    try await call.connect()
    try await eventually("a frame") { !call.callee.frames.isEmpty }
    if round % 2 == 0 { call.close() }
    if round % 3 == 0 { senders.removeAll() }
    withExtendedLifetime((network, video, audio, senders)) {}
}

/// Starts many operations and ends the peer connection under them.
private func abandonOperations(_ engine: NativeEngine, closes: Bool) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        let party = try Party(engine)
        try party.peer.addReceiver(kind: SL_MEDIA_VIDEO, codec: nil)
        let local = NativeDescription(type: Int32(SL_SDP_OFFER), sdp: "")
        for _ in 0..<20 {
            group.addTask { _ = try? await party.peer.createOffer(restartICE: false) }
            group.addTask { _ = try? await party.peer.statistics() }
            group.addTask { try? await party.peer.addCandidate(mid: "0", line: 0, text: "rubbish") }
            group.addTask { try? await party.peer.setLocalDescription(local) }
        }
        if closes { party.peer.close() }
        try await group.waitForAll()
    }
}
