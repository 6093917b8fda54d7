// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import Testing
import WebRTCStats

extension EnginePromise {
    static let candidate = ICECandidate(
        mid: "0", lineIndex: 0, candidate: "candidate:1 1 udp 2122260223 127.0.0.1 9999 typ host")

    static let negotiation: [EnginePromise] = [
        EnginePromise("an offer is answered once, and an answer is taken once") { subject in
            let caller = try subject.makePeer(), callee = try subject.makePeer()
            try caller.addReceiver(.audio)
            let answer = try await answered(caller, callee)
            await expectFailure(.invalidState) { _ = try await callee.createAnswer() }
            await #expect(throws: MediaEngineError.self) { try await caller.setRemoteDescription(answer) }
            await #expect(throws: MediaEngineError.self) { try await callee.setLocalDescription(answer) }
            // Each may begin again.
            #expect(try await caller.createOffer(iceRestart: true).kind == .offer)
            _ = try await answered(caller, callee)
            for peer in [caller, callee] { peer.close() }
        },
        EnginePromise("there is no answer without an offer, nor a description that cannot be read") {
            subject in
            let peer = try subject.makePeer()
            await expectFailure(.invalidState) { _ = try await peer.createAnswer() }
            await expectFailure(.invalidDescription) {
                try await peer.setRemoteDescription(SessionDescription(.offer, sdp: "rubbish"))
            }
            // Neither has done any harm.
            try peer.addReceiver(.video)
            #expect(try await peer.createOffer(iceRestart: false).kind == .offer)
            peer.close()
        },
        EnginePromise("a candidate may come before the description, one that cannot be read may not") {
            subject in
            let caller = try subject.makePeer(), callee = try subject.makePeer()
            try await callee.addCandidate(candidate)
            try await callee.addCandidate(ICECandidate(mid: nil, lineIndex: nil, candidate: ""))
            for text in ["rubbish", "candidate:", "candidate:1 1 udp x 127.0.0.1 9 typ host"] {
                await expectFailure(.invalidDescription) {
                    try await callee.addCandidate(ICECandidate(mid: "0", lineIndex: 0, candidate: text))
                }
            }
            try caller.addReceiver(.audio)
            let offer = try await caller.createOffer(iceRestart: false)
            try await callee.setRemoteDescription(offer)
            try await callee.addCandidate(candidate)
            await expectFailure(.invalidDescription) {
                try await callee.addCandidate(ICECandidate(mid: "0", lineIndex: 0, candidate: "rubbish"))
            }
            for peer in [caller, callee] { peer.close() }
        },
        EnginePromise("candidates without a description are kept up to a bound") { subject in
            let peer = try subject.makePeer()
            for _ in 0..<200 { try await peer.addCandidate(candidate) }
            await expectFailure(.invalidState) {
                for _ in 0..<100 { try await peer.addCandidate(candidate) }
            }
            peer.close()
        },
        EnginePromise("a server that cannot be used is refused, and a new connection has statistics") {
            subject in
            var configuration = subject.configuration
            configuration.iceServers = [.init(urls: ["nonsense:nowhere"])]
            #expect(throws: MediaEngineError.self) { try subject.engine.makePeerConnection(configuration) }
            let peer = try subject.makePeer()
            #expect(try await peer.statistics().inboundRTP.isEmpty)
            peer.close()
        },
    ]

    /// Brings two sides to an agreement; the answer.
    private static func answered(
        _ caller: any MediaPeerConnection, _ callee: any MediaPeerConnection
    ) async throws -> SessionDescription {
        let offer = try await caller.createOffer(iceRestart: false)
        #expect(offer.kind == .offer)
        try await caller.setLocalDescription(offer)
        try await callee.setRemoteDescription(offer)
        let answer = try await callee.createAnswer()
        #expect(answer.kind == .answer)
        try await callee.setLocalDescription(answer)
        try await caller.setRemoteDescription(answer)
        return answer
    }
}
