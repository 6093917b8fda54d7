// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import MediaEngine
import Testing
@_spi(StandIn) import WebRTC

@testable import AppleOnStandIns

@Suite("WebRTC.framework as a media engine")
struct EngineTests {
    private struct Refused: LocalizedError {
        var errorDescription: String? { "line 3 is wrong" }
    }

    private let engine = AppleWebRTCEngine()

    /// A peer connection, and the framework's behind it.
    private func make(
        _ configuration: PeerConnectionConfiguration = .init()
    ) throws -> (peer: any MediaPeerConnection, real: RTCPeerConnection) {
        let peer = try engine.makePeerConnection(configuration)
        return (peer, try #require(engine.factory.connections.last))
    }

    @Test("the configuration reaches the framework, and what it does not have is refused")
    func configuration() throws {
        var configuration = PeerConnectionConfiguration()
        // A server without an address would end the process.
        configuration.iceServers = [
            .init(urls: []), .init(urls: ["turn:host"], username: "u", credential: "c"),
        ]
        configuration.transportPolicy = .relay
        let made = try make(configuration).real.configured
        #expect(made.iceServers.map(\.urlStrings) == [["turn:host"]])
        #expect(made.iceServers.map(\.credential) == ["c"])
        #expect(made.iceTransportPolicy == .relay)
        #expect(made.sdpSemantics == .unifiedPlan)
        #expect(made.bundlePolicy == .maxBundle)
        configuration.loopbackOnly = true
        #expect(Self.code { try engine.makePeerConnection(configuration) } == .unsupported)
        #expect(Self.code { try engine.makeVideoSource(.file(path: "a")) } == .unsupported)
        #expect(Self.code { try engine.makeAudioSource(.silence) } == .unsupported)
    }

    @Test("video is sent in its layers, with its codec and its retransmissions alone")
    func video() throws {
        let (peer, real) = try make()
        let source = CapturedVideoSource(engine, width: 640, height: 360)
        let encodings = [
            Encoding(rid: "q", maxBitrate: 100_000, scaleResolutionDownBy: 2),
            Encoding(rid: "h", maxFramerate: 14.5, scalabilityMode: "L1T2"),
        ]
        _ = try peer.addVideo(
            source, SendParameters(codec: "vp8", encodings: encodings, degradation: .maintainResolution))
        let sent = try #require(real.made.first)
        #expect(sent.mediaType == .video)
        #expect(sent.direction == .sendOnly)
        #expect(sent.streamIds.count == 1)
        #expect(sent.codecs?.map(\.name) == ["VP8", "rtx"])
        let parameters = sent.sender.parameters
        #expect(parameters.encodings.map(\.rid) == ["q", "h"])
        #expect(parameters.encodings.map(\.maxBitrateBps) == [100_000, nil])
        #expect(parameters.encodings.map(\.scaleResolutionDownBy) == [2, 1])
        #expect(parameters.encodings.map(\.maxFramerate) == [nil, 15])
        #expect(parameters.encodings.map(\.scalabilityMode) == [nil, "L1T2"])
        #expect(
            parameters.degradationPreference?.intValue == RTCDegradationPreference.maintainResolution.rawValue
        )
        #expect((sent.sender.track as? RTCVideoTrack)?.source === source.source)
        #expect(Self.code { try peer.addVideo(source, SendParameters(codec: "VP10")) } == .unsupported)
    }

    @Test("a sender's layers and source can be changed, and it stays switched off through that")
    func sender() throws {
        let (peer, real) = try make()
        let sender = try peer.addAudio(nil, SendParameters(codec: "opus", encodings: [Encoding()]))
        let behind = try #require(real.made.first?.sender)
        #expect(behind.track == nil)
        // libwebrtc refuses a scale on audio.
        #expect(behind.parameters.encodings.first?.scaleResolutionDownBy == nil)
        sender.setEnabled(false)
        let microphone = MicrophoneSource(engine)
        try sender.replace(with: microphone)
        #expect((behind.track as? RTCAudioTrack)?.source === microphone.source)
        #expect(behind.track?.isEnabled == false)
        sender.setEnabled(true)
        #expect(behind.track?.isEnabled == true)
        // Neither the level nor the sender alone switches it on.
        microphone.setLevel(0)
        sender.setEnabled(true)
        #expect(behind.track?.isEnabled == false)
        microphone.setLevel(0.5)
        #expect(behind.track?.isEnabled == true)
        try sender.setEncoding(Encoding(isActive: false, maxBitrate: 20_000), at: 0)
        #expect(behind.parameters.encodings.map(\.isActive) == [false])
        #expect(behind.parameters.encodings.map(\.maxBitrateBps) == [20_000])
        #expect(Self.code { try sender.setEncoding(Encoding(), at: 1) } == .invalidArgument)
        let video: (any VideoSource)? = nil
        #expect(Self.code { try sender.replace(with: video) } == .invalidArgument)
    }

    @Test("offers, answers and restarts go through, and refusals have the framework's reason")
    func descriptions() async throws {
        let (peer, real) = try make()
        #expect(try await peer.createOffer(iceRestart: false) == SessionDescription(.offer, sdp: "offer"))
        #expect(try await peer.createOffer(iceRestart: true).sdp == "restart")
        await #expect(throws: MediaEngineError(.invalidState, "there is no offer to answer")) {
            _ = try await peer.createAnswer()
        }
        try await peer.setRemoteDescription(SessionDescription(.offer, sdp: "theirs"))
        #expect(real.remote?.sdp == "theirs")
        #expect(try await peer.createAnswer() == SessionDescription(.answer, sdp: "answer"))
        try await peer.setLocalDescription(SessionDescription(.answer, sdp: "mine"))
        #expect(real.local?.type == .answer)
        real.failure = Refused()
        await #expect(throws: MediaEngineError(.invalidDescription, "line 3 is wrong")) {
            try await peer.setRemoteDescription(SessionDescription(.offer, sdp: "odd"))
        }
        await #expect(throws: MediaEngineError(.internal, "line 3 is wrong")) {
            _ = try await peer.createOffer(iceRestart: false)
        }
    }

    @Test("promises of every engine that need no media", arguments: EnginePromise.all)
    func promise(_ promise: EnginePromise) async throws {
        let engine = engine
        try await promise.check(
            EngineSubject(
                engine: engine, makeVideo: { CapturedVideoSource(engine, width: 640, height: 360) },
                makeAudio: { MicrophoneSource(engine) }))
    }

    @Test("candidates that come before the description are kept until it is there")
    func candidates() async throws {
        let (peer, real) = try make()
        let texts = [1, 2].map { "candidate:\($0) 1 udp 1 127.0.0.1 9 typ host" }
        try await peer.addCandidate(ICECandidate(mid: "0", lineIndex: 0, candidate: texts[0]))
        try await peer.addCandidate(ICECandidate(mid: "0", lineIndex: 0, candidate: ""))
        #expect(real.candidates.isEmpty)
        try await peer.setRemoteDescription(SessionDescription(.offer, sdp: ""))
        try await peer.addCandidate(ICECandidate(mid: nil, lineIndex: 1, candidate: texts[1]))
        #expect(real.candidates.map(\.sdp) == texts)
        #expect(real.candidates.map(\.sdpMid) == ["0", nil])
        #expect(real.candidates.map(\.sdpMLineIndex) == [0, 1])
    }

    @Test("bounds of the bandwidth are passed on, and those that cannot be are refused")
    func bitrate() throws {
        let (peer, real) = try make()
        try peer.setBitrate(minimum: nil, start: 1_000_000, maximum: 2_000_000)
        #expect(real.bitrates == [nil, 1_000_000, 2_000_000])
        #expect(Self.code { try peer.setBitrate(minimum: 0, start: nil, maximum: nil) } == .invalidArgument)
        #expect(Self.code { try peer.setBitrate(minimum: 2, start: nil, maximum: 1) } == .invalidArgument)
        #expect(Self.code { try peer.saturate(1) } == .unsupported)
    }

    @Test("what happens on the connection is reported in order, until it is closed")
    func events() async throws {
        let (peer, real) = try make()
        let delegate = try #require(real.delegate)
        delegate.peerConnection(real, didChange: RTCPeerConnectionState.connecting)
        delegate.peerConnection(real, didChange: RTCIceConnectionState.checking)
        delegate.peerConnection(real, didGenerate: RTCIceCandidate(sdp: "c", sdpMLineIndex: 1, sdpMid: "1"))
        // There is no event for it.
        delegate.peerConnection(
            real, didRemove: [RTCIceCandidate(sdp: "c", sdpMLineIndex: 1, sdpMid: "1")])
        delegate.peerConnection(real, didChange: RTCIceGatheringState.gathering)
        delegate.peerConnection(real, didChange: RTCIceGatheringState.complete)
        let transceiver = RTCRtpTransceiver(.audio, mid: "7", RTCRtpTransceiverInit())
        delegate.peerConnection(real, didStartReceivingOn: transceiver)
        transceiver.receive(RTCAudioTrack(source: RTCAudioSource(), trackId: "t"))
        delegate.peerConnection(real, didStartReceivingOn: transceiver)
        delegate.peerConnection(real, didOpen: RTCDataChannel(label: "d"))
        peer.close()
        var seen: [String] = []
        for await event in peer.events {
            switch event {
            case .candidate(let candidate): seen.append("\(candidate.candidate) \(candidate.lineIndex ?? -1)")
            case .gatheringComplete: seen.append("gathered")
            case .connectionState(let state): seen.append(state.rawValue)
            case .iceState(let state): seen.append(state.rawValue)
            case .track(let track): seen.append("\(track.kind) \(track.id) \(track.mid)")
            case .dataChannel(let channel): seen.append(channel.label)
            }
        }
        #expect(seen == ["connecting", "checking", "c 1", "gathered", "audio t 7", "d", "closed"])
        #expect(Self.code { try peer.addReceiver(.audio) } == .closed)
        await #expect(throws: MediaEngineError.self) { _ = try await peer.statistics() }
    }

    @Test("a connection that no one owns any more is closed")
    func letGo() async throws {
        let real = try make().real
        while real.signalingState != .closed { await Task.yield() }
    }

    @Test("closing and releasing wait for nothing, however busy the signaling thread is")
    func busyThread() async throws {
        let (closed, closedReal) = try make()
        let closedBusy = DispatchSemaphore(value: 0), letGoBusy = DispatchSemaphore(value: 0)
        closedReal.occupy { closedBusy.wait() }
        closed.close()
        #expect(Self.code { try closed.addReceiver(.audio) } == .closed)
        var letGo: (any MediaPeerConnection)?
        let letGoReal: RTCPeerConnection
        (letGo, letGoReal) = try make()
        letGoReal.occupy { letGoBusy.wait() }
        #expect(letGo != nil)
        letGo = nil
        closedBusy.signal()
        letGoBusy.signal()
        while letGoReal.signalingState != .closed || closedReal.signalingState != .closed {
            await Task.yield()
        }
    }

    @Test("what the engine refuses without a word is an error all the same")
    func refusals() throws {
        let (peer, real) = try make()
        let sender = try peer.addAudio(nil, SendParameters(encodings: [Encoding()]))
        let behind = try #require(real.made.first?.sender)
        behind.isRefusing = true
        #expect(
            Self.code { try sender.setEncoding(Encoding(maxBitrate: 20_000), at: 0) } == .invalidArgument)
        #expect(Self.code { try sender.replace(with: MicrophoneSource(engine)) } == .invalidArgument)
        real.codecRefusal = NSError(domain: "org.webrtc", code: 7, userInfo: ["message": "not this one"])
        #expect(throws: MediaEngineError(.unsupported, "not this one")) {
            try peer.addVideo(nil, SendParameters(codec: "VP8"))
        }
        #expect(real.made.map(\.isStopped) == [false, true], "it is in no offer")
        real.failure = Refused()
        #expect(Self.code { try peer.addReceiver(.video) } == .invalidArgument)
    }

    @Test("preferred codecs are those that can be received, and listening opens no microphone")
    func factory() throws {
        let (peer, _) = try make()
        #expect(Self.code { try peer.addVideo(nil, SendParameters(codec: "AV1")) } == .unsupported)
        #expect(Self.code { try peer.addVideo(nil, SendParameters(codec: "VP9")) } == nil)
        #expect(engine.factory.device == .audioEngine)
    }

    @Test("messages pass in both directions over a data channel, and open and closed are reported once")
    func dataChannel() async throws {
        let (peer, real) = try make()
        let channel = try peer.createDataChannel(.init(label: "chat", isOrdered: false, maxRetransmits: 3))
        let behind = try #require(real.channels.first)
        #expect(behind.setup.isOrdered == false)
        #expect(behind.setup.maxRetransmits == 3)
        #expect(Self.code { try channel.send([1], isBinary: true) } == .invalidState)
        behind.channel.enter(.open)
        behind.channel.enter(.open)
        try channel.send([1, 2], isBinary: true)
        behind.channel.isFull = true
        #expect(
            throws: MediaEngineError(.invalidState, "too much waits to be sent already")
        ) { try channel.send([3], isBinary: true) }
        #expect(behind.channel.sent.map(\.data) == [Data([1, 2])])
        behind.channel.delegate?.dataChannel(
            behind.channel, didReceiveMessageWith: RTCDataBuffer(data: Data([3]), isBinary: false))
        channel.close()
        var seen: [DataChannelEvent] = []
        for await event in channel.events { seen.append(event) }
        #expect(seen == [.open, .message([3], isBinary: false), .closed])
        let wrong = DataChannelConfiguration(label: "x", maxRetransmits: -1)
        #expect(Self.code { try peer.createDataChannel(wrong) } == .invalidArgument)
    }

    @Test("features of Opus are asked of the other side's description")
    func opus() async throws {
        var configuration = PeerConnectionConfiguration()
        configuration.usesDiscontinuousTransmission = true
        configuration.usesConstantAudioBitrate = true
        let (peer, real) = try make(configuration)
        let sdp =
            "a=rtpmap:111 opus/48000/2\r\na=fmtp:111 minptime=10;usedtx=0\r\na=rtpmap:8 PCMA/8000\r\na=fmtp:8 x\r\n"
        try await peer.setRemoteDescription(SessionDescription(.offer, sdp: sdp))
        let wanted =
            "a=rtpmap:111 opus/48000/2\r\na=fmtp:111 minptime=10;usedtx=1;cbr=1\r\na=rtpmap:8 PCMA/8000\r\n"
            + "a=fmtp:8 x\r\n"
        #expect(real.remote?.sdp == wanted)
        #expect(
            OpusFormat.requesting("cbr", in: "a=rtpmap:9 OPUS/48000/2\r\nm=x")
                == "a=rtpmap:9 OPUS/48000/2\r\na=fmtp:9 cbr=1\r\nm=x")
    }

    /// The code of what a call throws.
    static func code<Value>(_ body: () throws -> Value) -> MediaEngineError.Code? {
        do { _ = try body() } catch { return (error as? MediaEngineError)?.code }
        return nil
    }
}
