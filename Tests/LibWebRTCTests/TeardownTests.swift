// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing
import WebRTCStats

@testable import LibWebRTC

extension EngineTests {
    /// Endings, in order and out of it.
    @Suite("Teardown")
    struct TeardownTests {
        @Test("a closed peer connection refuses everything, and says so")
        func closed() async throws {
            let party = try Party(try NativeEngine())
            let sender = try party.peer.addVideo(nil, NativeSenderConfig())
            party.peer.close()
            party.peer.close()
            func expectClosed(_ operation: () async throws -> Void) async {
                await #expect(throws: NativeError(SL_CLOSED, "the peer connection is closed")) {
                    try await operation()
                }
            }
            await expectClosed { _ = try await party.peer.createOffer(restartICE: false) }
            await expectClosed { _ = try await party.peer.createAnswer() }
            await expectClosed { _ = try await party.peer.statistics() }
            await expectClosed { try party.peer.setBitrate(minimum: 0, start: 1, maximum: 0) }
            await expectClosed { _ = try party.peer.addAudio(nil, NativeSenderConfig()) }
            await expectClosed {
                try await party.peer.addCandidate(
                    mid: "0", line: 0, text: "candidate:1 1 udp 1 127.0.0.1 9 typ host")
            }
            #expect(throws: NativeError.self) { try sender.setEncoding(NativeEncoding(), at: 0) }
            sender.setEnabled(false)
        }

        @Test("an engine may go before what was made with it")
        func engineFirst() async throws {
            var engine: NativeEngine? = try NativeEngine()
            let party = try Party(try #require(engine))
            engine = nil
            #expect(try await party.peer.createOffer(restartICE: false).sdp.hasPrefix("v=0"))
        }

        @Test(
            "wrong descriptions are errors that say what is wrong",
            arguments: ["", "rubbish", "v=0\r\no=x\r\n", "v=0\r\nm=video 9"])
        func badDescription(sdp: String) async throws {
            let party = try Party(try NativeEngine())
            await #expect(throws: NativeError.self) {
                try await party.peer.setRemoteDescription(
                    NativeDescription(type: Int32(SL_SDP_OFFER), sdp: sdp))
            }
            await #expect(throws: NativeError.self) {
                try await party.peer.setRemoteDescription(NativeDescription(type: 77, sdp: sdp))
            }
            // An answer no one asked for.
            await #expect(throws: NativeError.self) { _ = try await party.peer.createAnswer() }
        }

        @Test("an offer with bytes flipped is taken or refused, never fatal")
        func fuzzedOffer() async throws {
            let engine = try NativeEngine()
            let author = try Party(engine)
            try author.peer.addReceiver(kind: SL_MEDIA_VIDEO, codec: nil)
            try author.peer.addReceiver(kind: SL_MEDIA_AUDIO, codec: nil)
            let offer = try await author.peer.createOffer(restartICE: false).sdp
            var random = SeededRandom(seed: 21)
            for _ in 0..<60 {
                var bytes = Array(offer.utf8)
                for _ in 0..<Int.random(in: 1...10, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                        in: 32...126, using: &random)
                }
                let party = try Party(engine)
                let broken = NativeDescription(
                    type: Int32(SL_SDP_OFFER), sdp: String(decoding: bytes, as: UTF8.self))
                do {
                    try await party.peer.setRemoteDescription(broken)
                    _ = try await party.peer.createAnswer()
                } catch let error as NativeError {
                    #expect(!error.message.isEmpty)
                }
            }
        }

        @Test("candidates: early ones wait, wrong ones are errors, the end of candidates is nothing")
        func candidates() async throws {
            let party = try Party(try NativeEngine())
            let candidate = "candidate:1 1 udp 2122260223 127.0.0.1 9999 typ host"
            try await party.peer.addCandidate(mid: "0", line: 0, text: candidate)
            try await party.peer.addCandidate(mid: "0", line: 0, text: "a=" + candidate)
            try await party.peer.addCandidate(mid: "0", line: 0, text: "")
            for wrong in ["rubbish", "candidate:", "candidate:1 1 udp x 127.0.0.1 9 typ host"] {
                await #expect(throws: NativeError.self) {
                    try await party.peer.addCandidate(mid: "0", line: 0, text: wrong)
                }
            }
            await #expect(throws: NativeError.self) {
                for _ in 0..<300 { try await party.peer.addCandidate(mid: "0", line: 0, text: candidate) }
            }
        }
    }
}
