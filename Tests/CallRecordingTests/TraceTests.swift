// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import Testing
import WebRTCStats

@testable import CallRecording

@Suite("Calls and events of the API in dumps")
struct TraceTests {
    private static func trace(_ text: String) throws -> [TraceEvent] {
        var parser = RecordingParser()
        _ = try parser.append(Array(text.utf8))
        _ = try parser.finish()
        return parser.trace
    }

    private static func event(_ method: String, _ value: String, pc: String? = "PC_0") throws -> TraceEvent
        .Content?
    {
        try trace(InventedDump().adding(method, pc, value).text).last?.content
    }

    private static func internals(_ type: String, _ value: String) throws -> TraceEvent.Content? {
        let log: [String: Any] = ["type": type, "value": value, "timestamp": Fixture.start]
        let document: [String: Any] = [
            "PeerConnections": ["1-1": ["updateLog": [log], "stats": [String: Any]()]]
        ]
        let data = try JSONSerialization.data(withJSONObject: document)
        return try trace(String(decoding: data, as: UTF8.self)).last?.content
    }

    @Test(
        "states are read bare, as JSON, and with and without the event's prefix",
        arguments: [#""failed""#, #""\"failed\"""#])
    func states(value: String) throws {
        #expect(try Self.event("24", value) == .iceState("failed"))
        #expect(try Self.event("onconnectionstatechange", value) == .connectionState("failed"))
        #expect(try Self.internals("iceconnectionstatechange", "\"failed\"") == .iceState("failed"))
        #expect(try Self.internals("onsignalingstatechange", "stable") == .signalingState("stable"))
    }

    @Test("candidates are read from objects, their texts, and names and values")
    func candidates() throws {
        let relay = TraceCandidate(type: .relay, relayProtocol: .tls)
        let line = "candidate:1 1 udp 33562367 192.0.2.1 50000 typ relay raddr 0.0.0.0 rport 0"
        #expect(
            try Self.event("20", #"{"candidate":"\#(line)","relayProtocol":"tls"}"#) == .localCandidate(relay)
        )
        #expect(
            try Self.internals(
                "icecandidate", "sdpMid: 0, sdpMLineIndex: 0, candidate: \(line), relayProtocol: tls")
                == .localCandidate(relay))
        let hidden = "candidate:1 1 udp 2122194687 0b0b0b0b-0000-4000-8000-000000000000.local 50000 typ host"
        #expect(
            try Self.event("10", #"{"candidate":"\#(hidden)"}"#)
                == .remoteCandidate(TraceCandidate(type: .host, isNameHidden: true)))
        #expect(try Self.event("20", "null") == .localCandidate(nil))
        // The priority says how Chromium reaches the relay.
        #expect(
            try Self.event("20", InventedDump.candidate("relay", priority: 33_562_367))
                == .localCandidate(TraceCandidate(type: .relay, relayProtocol: .udp)))
    }

    @Test("servers that fail are read without their hosts")
    func candidateErrors() throws {
        let error = TraceCandidateError(code: 401, scheme: "turns", isOverTCP: true)
        #expect(
            try Self.event("21", #"{"url":"turns:turn.example.org:443?transport=tcp","errorCode":401}"#)
                == .candidateError(error))
        #expect(
            try Self.internals(
                "icecandidateerror",
                "url: turns:turn.example.org:443?transport=tcp\naddress: 192.0.2.1\nerror_text: \nerror_code: 401"
            )
                == .candidateError(error))
    }

    @Test("descriptions tell their type, ICE lite, repeated lines and candidates")
    func descriptions() throws {
        let sdp =
            #"v=0\r\na=ice-lite\r\nm=audio 9\r\na=mid:0\r\na=mid:0\r\na=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\nm=video 9\r\na=mid:0\r\n"#
        guard case .describing(let description)? = try Self.event("8", #"{"type":"offer","sdp":"\#(sdp)"}"#)
        else {
            Issue.record("no description")
            return
        }
        #expect(!description.isLocal && description.type == "offer" && description.isICELite == true)
        #expect(description.repeatedLines == 1 && description.candidates.count == 1)
        let old = try Self.internals("setLocalDescription", "type: answer, sdp: v=0\r\n")
        guard case .describing(let local)? = old else {
            Issue.record("no description")
            return
        }
        #expect(local.isLocal && local.type == "answer")
    }

    @Test("configurations tell their servers without hosts")
    func configuration() throws {
        let value =
            #"{"iceServers":[{"urls":["stun:a.example.org","turn:a.example.org?transport=udp"]},"#
            + #"{"urls":"turns:a.example.org?transport=tcp"}],"iceTransportPolicy":"relay","bundlePolicy":"max-bundle"}"#
        guard case .created(let configuration?)? = try Self.event("39", value) else {
            Issue.record("no configuration")
            return
        }
        #expect(configuration.servers == 2 && configuration.hasSTUN && configuration.hasTURNOverUDP)
        #expect(configuration.hasTURNOverTLS && !configuration.hasTURNOverTCP && configuration.isRelayOnly)
        #expect(configuration.bundlePolicy == "max-bundle")
    }

    @Test("what was asked of devices, and what came of it, in both forms of dumps")
    func capture() throws {
        let rtcstats = InventedDump()
            .adding("60", nil, #"{"audio":{"echoCancellation":{"exact":false}},"video":false}"#, #""60-0""#)
            .adding("61", nil, #"[["audio","a","Headset (046d:0A44)","s"]]"#, #""60-0""#)
            .adding("60", nil, #"{"audio":true,"video":true}"#, #""60-1""#)
            .adding("65", nil, #""NotAllowedError: Permission denied""#, #""60-1""#)
        let internals = """
            {"getUserMedia":[
            {"request_type":"getUserMedia","audio":"{\\"echoCancellation\\":{\\"exact\\":false}}","timestamp":1767225600000},
            {"request_type":"getUserMedia","audio_track_info":"{\\"id\\":\\"a\\",\\"label\\":\\"Headset (046d:0A44)\\"}",
            "video_track_info":"null","timestamp":1767225600000},
            {"request_type":"getUserMedia","audio":"","video":"","timestamp":1767225600000},
            {"request_type":"getUserMedia","error":"NotAllowedError","error_message":"Permission denied","timestamp":1767225600000}],
            "PeerConnections":{}}
            """
        for text in [rtcstats.text, internals] {
            var parser = RecordingParser()
            _ = try parser.append(Array(text.utf8))
            _ = try parser.finish()
            let facts = FactCollector(recording: 0).facts(with: parser.trace).userMedia
            #expect(facts.requests == 2 && facts.audioRequests == 2 && facts.videoRequests == 1)
            #expect(facts.combinedRequests == 1 && facts.successes == 1 && facts.kinds == ["audio"])
            #expect(facts.audioDeviceUSB == "046d:0a44" && facts.isAudioByBluetooth == false)
            #expect(facts.failures.map(\.error) == ["NotAllowedError"])
            #expect(facts.failures.map(\.message) == ["Permission denied"])
        }
    }

    @Test("reasons in the browser's words lose what could be an address")
    func reasons() throws {
        let failure = try Self.event(
            "16", #""OperationError: candidate 192.0.2.1 or 2001:db8::1 or a.local is bad""#)
        #expect(
            failure
                == .failed(
                    method: "addIceCandidate", reason: "OperationError: candidate […] or […] or […] is bad"))
    }

    @Test("no more events are kept than the limit says, with one issue")
    func limit() throws {
        var limits = RecordingLimits()
        limits.traceEvents = 10
        var dump = InventedDump()
        for _ in 0..<30 { dump = dump.adding("27") }
        var parser = RecordingParser(limits: limits)
        _ = try parser.append(Array(dump.text.utf8))
        _ = try parser.finish()
        #expect(parser.trace.count == 10)
        #expect(parser.issues.map(\.code) == [.limitExceeded])
    }

    @Test("what Chromium saves of a call has the same events in both of its dumps")
    func dumpsAgree() throws {
        func states(_ name: String) throws -> [String: [TraceEvent.Content]] {
            var reader = try RecordingReader(Fixture.url(name))
            while try reader.next() != nil {}
            let states = reader.trace.filter { event in
                switch event.content {
                case .iceState, .connectionState, .signalingState, .localCandidate: true
                default: false
                }
            }
            return Dictionary(grouping: states) { $0.peerConnection ?? "" }.mapValues { $0.map(\.content) }
        }
        let internals = try states("chromium_webrtc_internals.gz")
        #expect(internals.count == 2)
        #expect(try states("chromium_rtcstats.gz") == internals)
    }

    @Test("Quoted lines of descriptions and addresses stay out, however they are written")
    func redaction() {
        let texts = [
            "Failed to parse SessionDescription. a=ice-pwd:abcdef Invalid",
            "cannot open rtsp://192.168.1.20:554/cam",
            "o=alice 1 2 IN IP4 10.0.0.1", "no answer of 10.0.0.5...",
        ].map(TraceReader.withoutAddresses)
        #expect(
            texts == [
                "Failed to parse SessionDescription. […]", "cannot open […]", "[…]", "no answer of […]",
            ])
    }
}
