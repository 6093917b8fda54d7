// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import Testing

extension EnginePromise {
    static let closing: [EnginePromise] = [
        EnginePromise("a closed connection says so to every call", closedCalls),
        EnginePromise("closing twice is closing once, and the last event is that it is closed") { subject in
            let peer = try subject.makePeer()
            peer.close()
            peer.close()
            var closed = 0
            var last: PeerConnectionEvent?
            for await event in peer.events {
                last = event
                if case .connectionState(.closed) = event { closed += 1 }
            }
            #expect(closed == 1)
            if case .connectionState(.closed) = last { return }
            Issue.record("the last event was \(String(describing: last))")
        },
        EnginePromise("the events of a connection end when its last owner releases it") { subject in
            var peer: (any MediaPeerConnection)? = try subject.makePeer()
            let events = try #require(peer?.events)
            peer = nil
            for await _ in events {}
        },
        EnginePromise("what is under way when a connection closes ends, whether it succeeds or not") {
            subject in
            let peer = try subject.makePeer()
            try peer.addReceiver(.audio)
            let offer = Task { try await peer.createOffer(iceRestart: false) }
            let statistics = Task { try await peer.statistics() }
            peer.close()
            for outcome in [await offer.result.map { _ in }, await statistics.result.map { _ in }] {
                guard case .failure(let error) = outcome else { continue }
                #expect(error is MediaEngineError)
            }
        },
        EnginePromise(
            "a data channel sends nothing before it is open, nor after it or its connection is closed"
        ) {
            subject in
            let peer = try subject.makePeer()
            let channel = try peer.createDataChannel(
                DataChannelConfiguration(label: "chat", maxRetransmits: 0))
            #expect(channel.label == "chat")
            await expectFailure(.invalidState) { try channel.send([1], isBinary: true) }
            channel.close()
            var seen: [DataChannelEvent] = []
            for await event in channel.events { seen.append(event) }
            #expect(seen == [.closed])
            await expectFailure(.invalidState) { try channel.send([1], isBinary: true) }
            channel.close()
            let other = try peer.createDataChannel(DataChannelConfiguration(label: "", isOrdered: false))
            peer.close()
            await expectFailure(.invalidState) { try other.send([], isBinary: false) }
            other.close()
        },
    ]

    @Sendable private static func closedCalls(_ subject: EngineSubject) async throws {
        let peer = try subject.makePeer()
        let video = try peer.addVideo(subject.makeVideo(), SendParameters())
        let audio = try peer.addAudio(nil, SendParameters())
        let offer = try await peer.createOffer(iceRestart: false)
        peer.close()
        await expectFailure(.closed) { _ = try await peer.createOffer(iceRestart: false) }
        await expectFailure(.closed) { _ = try await peer.createAnswer() }
        await expectFailure(.closed) { try await peer.setLocalDescription(offer) }
        await expectFailure(.closed) { try await peer.setRemoteDescription(offer) }
        await expectFailure(.closed) { try await peer.addCandidate(candidate) }
        await expectFailure(.closed) { _ = try await peer.statistics() }
        await expectFailure(.closed) { _ = try peer.addVideo(nil, SendParameters()) }
        await expectFailure(.closed) { _ = try peer.addAudio(nil, SendParameters()) }
        await expectFailure(.closed) { try peer.addReceiver(.video) }
        await expectFailure(.closed) {
            _ = try peer.createDataChannel(DataChannelConfiguration(label: "x"))
        }
        await expectFailure(.closed) { try peer.setBitrate(minimum: nil, start: 300_000, maximum: nil) }
        await expectFailure(.closed) { try video.setEncoding(Encoding(), at: 0) }
        await expectFailure(.closed) { try video.replace(with: subject.makeVideo()) }
        await expectFailure(.closed) { try audio.replace(with: nil as (any AudioSource)?) }
        video.setEnabled(false)
        audio.setEnabled(true)
    }
}
