// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import NIOCore
import NIOHTTP1
import SessionWire
import TestSupport
import Testing
import WebRTCStats

@testable import SessionServer

/// Messages as rtcstats-js has them: the numbers stand for names, and what is unchanged is omitted.
enum RTCStatsMessages {
    private static let start = 1_700_000_000_000

    /// What a page says whose one peer connection sends, or receives, audio of an SSRC.
    static func page(sends: Bool, ssrc: Int = 7, seconds: Int = 4) -> [String] {
        var messages = [
            #"[39,null,{"hardwareConcurrency":4,"screen":{"width":1920,"height":1080}},\#(start)]"#,
            #"[60,null,{"audio":true},"60-0",1]"#, #"[61,null,[["audio","t1","Mic","s1"]],"60-0",1]"#,
            #"[39,"PC_0",{},1]"#, #"[25,"PC_0","connected",97]"#,
        ]
        let type = sends ? 2 : 1
        for second in 1...seconds {
            let counts =
                sends
                ? #""79":\#(50 * second),"80":\#(5000 * second)"#
                : #""14":\#(50 * second),"15":0,"41":\#(5000 * second)"#
            let new = second == 1 ? #""type":\#(type),"10":\#(ssrc),"11":"audio","# : ""
            let time = start + 1000 * second
            messages.append(
                #"["g","PC_0",{"0":{\#(new)\#(counts)},"t":\#(time)},\#(second == 1 ? 900 : 1000)]"#)
        }
        return messages
    }
}

@Suite("What rtcstats clients say")
struct RTCStatsReaderTests {
    private static func read(_ messages: [String]) -> (reader: RTCStatsReader, said: [ObservedReports?]) {
        var reader = RTCStatsReader(client: "browser", prefix: "r1", limits: .init())
        let said = messages.map { reader.read(Array($0.utf8)) }
        return (reader, said)
    }

    @Test("differences become whole reports, and the trace what happened beside them")
    func whole() throws {
        var (reader, said) = Self.read(RTCStatsMessages.page(sends: true))
        let all = said.compactMap(\.self)
        #expect(all.count == said.count && all.allSatisfy { $0.client == "browser" })
        let reports = all.flatMap(\.reports)
        #expect(reports.map(\.peerConnection) == Array(repeating: "r1-PC_0", count: 4))
        let times: [Double] = [1_700_000_001_000, 1_700_000_002_000, 1_700_000_003_000, 1_700_000_004_000]
        #expect(reports.map(\.time) == times)
        let packets = reports.compactMap { report -> UInt64? in
            if case .report(let stats) = report.content { stats.outboundRTP.first?.packetsSent } else { nil }
        }
        #expect(packets == [50, 100, 150, 200])
        let events = all.flatMap(\.events)
        #expect(events.map(\.kind) == [.getUserMedia, .connectionState])
        #expect(events.first?.detail == ["wants": "audio"])
        #expect(events.last?.detail == ["peerConnection": "r1-PC_0", "state": "connected"])
        #expect(reader.end().reports == [ObservedReport(peerConnection: "r1-PC_0", .closed)])
        #expect(reader.end().reports.isEmpty)
    }

    @Test(
        "a peer connection that is closed is closed once; a refused camera, a mute and a bad candidate are events"
    )
    func events() {
        var (reader, said) = Self.read(
            RTCStatsMessages.page(sends: true, seconds: 1) + [
                #"[36,"PC_0",null,5]"#, #"[36,"PC_0",null,5]"#, #"[36,"PC_9",null,5]"#,
                #"[60,null,{"audio":true,"video":true},"60-1",1]"#,
                #"[65,null,"NotAllowedError: denied","60-1",1]"#,
                #"[22,"PC_1",["video","t9","",""],1]"#, #"[73,"PC_1","t9",1]"#,
                #"[16,"PC_1","OperationError: 192.0.2.1 is bad","10-0",1]"#,
            ])
        let closed = said.compactMap(\.self).flatMap(\.reports).filter { $0.content == .closed }
        #expect(closed.map(\.peerConnection) == ["r1-PC_0"])
        let events = said.compactMap(\.self).flatMap(\.events).suffix(3)
        #expect(events.map(\.kind) == [.getUserMedia, .track, .addIceCandidate])
        #expect(
            events.map(\.detail) == [
                ["wants": "audio video", "error": "NotAllowedError"],
                ["end": "remote", "kind": "video", "state": "mute"], ["error": "OperationError"],
            ])
        #expect(reader.end().reports.isEmpty)
    }

    @Test("the app says who is at the other end of a peer connection, until that is closed")
    func remote() {
        let (_, said) = Self.read(
            [
                #"["sightline.remote","PC_0","bob",1]"#, #"["sightline.remote","PC_1","",1]"#,
                #"["sightline.remote","PC_1",7,1]"#, #"["sightline.remote",null,"eve",1]"#,
                #"["sightline.remote","PC_2","\#(String(repeating: "x", count: 129))",1]"#,
            ] + RTCStatsMessages.page(sends: true, seconds: 1) + [
                #"["g","PC_1",{"0":{"type":2,"10":8},"t":1700000001000},1]"#,
                #"["g","PC_2",{"0":{"type":2,"10":9},"t":1700000001000},1]"#,
                #"[36,"PC_0",null,5]"#, #"["g","PC_0",{"0":{"type":2,"10":7},"t":1700000002000},1]"#,
            ])
        let reports = said.compactMap(\.self).flatMap(\.reports).filter { $0.content != .closed }
        #expect(reports.map(\.peerConnection) == ["r1-PC_0", "r1-PC_1", "r1-PC_2", "r1-PC_0"])
        #expect(reports.map(\.remote) == ["bob", nil, nil, nil])
    }

    @Test("the app says whose a track is, until it takes that back, or its peer connection is closed")
    func tags() {
        let report = #"["g","PC_0",{"0":{"type":2,"10":7},"t":1700000002000},1]"#
        let long = String(repeating: "x", count: 129)
        let (_, said) = Self.read([
            #"["sightline.tag","PC_0",{"track":"t1","participant":"bob","name":"camera"},1]"#,
            #"["sightline.tag","PC_0","{\"track\":\"t2\",\"name\":\"screen\"}",1]"#,
            #"["sightline.tag","PC_0",{"track":"\#(long)","name":"camera"},1]"#,
            #"["sightline.tag","PC_0",{"track":"t3","name":"\#(long)"},1]"#,
            #"["sightline.tag","PC_0",{"track":"t3","name":""},1]"#,
            #"["sightline.tag","PC_0",{"track":"t1","participant":7},1]"#,
            #"["sightline.tag","PC_0",{"name":"camera"},1]"#, #"["sightline.tag","PC_0",7,1]"#,
            #"["sightline.tag",null,{"track":"t4","name":"camera"},1]"#, report,
            #"["sightline.tag","PC_0",{"track":"t1"},1]"#, report, #"[36,"PC_0",null,5]"#, report,
        ])
        let reports = said.compactMap(\.self).flatMap(\.reports).filter { $0.content != .closed }
        let screen = ["t2": TrackTag(name: "screen")]
        #expect(
            reports.map(\.tracks) == [
                screen.merging(["t1": TrackTag(participant: "bob", name: "camera")]) { $1 }, screen, nil,
            ])
    }

    @Test(
        "what is none is none",
        arguments: ["", "7", "{}", "[]", #"["g"]"#, #"["g","PC_0"]"#, "[1,2", #"{"fileFormat":3}"#])
    func none(message: String) {
        #expect(Self.read([message]).said == [nil])
    }

    @Test("however much comes, little is kept")
    func bounded() throws {
        var reader = RTCStatsReader(client: nil, prefix: "r1", limits: .init())
        let text = String(repeating: "x", count: 100_000)
        for number in 0..<200 {
            let entries = (0..<20).map {
                #""\#(number)-\#($0)":{"type":1,"m\#(number)":"\#(text.prefix(5000))"}"#
            }
            let message =
                #"["g","PC_0",{\#(entries.joined(separator: ",")),"t":\#(1_700_000_000_000 + number)},1]"#
            _ = reader.read(Array(message.utf8))
        }
        let last = reader.read(Array(#"["g","PC_0",{},1700000001000]"#.utf8))
        guard case .report(let report)? = last?.reports.first?.content else {
            Issue.record("nothing is left")
            return
        }
        #expect(report.entryCount > 100 && report.entryCount < 400)
        // No more peer connections at once than a page may have.
        let opened = (0..<1000).compactMap { number in
            reader.read(Array(#"["g","PC_\#(number)",{"0":{"type":2,"10":1},"t":1700000001000},1]"#.utf8))?
                .reports.first
        }
        #expect(opened.count == RTCStatsReader.mostPeerConnections)
    }
}

@Suite("Pages with rtcstats-js", .timeLimit(.minutes(5)))
struct RTCStatsSocketTests {
    private static func path(_ token: String) -> String { "/v1/rtcstats?rtcstats-token=\(token)" }

    private static func token(_ participant: String) async throws -> String {
        let tokens = try await APITokens(
            applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
        return try await tokens.token([.observe], observer: .init(call: "call", participant: participant))
            .token
    }

    private static func connect(_ server: TestServer, as participant: String) async throws -> TestSocket {
        try await TestSocket.connect(port: server.port, path: path(try await token(participant)))
    }

    private static func get(_ path: String, _ server: TestServer) async throws -> TestHTTP.Answer {
        let tokens = try await APITokens(
            applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
        let reading = try await tokens.token([.read, .names]).token
        return try await TestHTTP.request(
            .GET, path, port: server.port, headers: HTTPHeaders([("Authorization", "Bearer \(reading)")]))
    }

    private static var configuration: SessionServerConfiguration {
        var configuration = TestServer.configuration
        configuration.store?.keepsNames = true
        return configuration
    }

    @Test(
        "both ends of a stream are in the observed call, paired, with what happened; who closes the page has left"
    )
    func call() async throws {
        try await TestServer.run(Self.configuration) { server in
            let (alice, bob) = (
                try await Self.connect(server, as: "alice"), try await Self.connect(server, as: "bob")
            )
            let (sent, received) = (
                RTCStatsMessages.page(sends: true), RTCStatsMessages.page(sends: false)
            )
            for message in sent { try await alice.send(text: message) }
            // A receiver waits three seconds for its sender to be known, which a busy machine would make the test's limit.
            try await eventually("alice's stream is stored") {
                let answer = try await Self.get("/v1/sessions/call/timeline", server)
                return String(decoding: answer.body, as: UTF8.self).contains("streamCreated")
            }
            for message in received { try await bob.send(text: message) }
            var summary: SessionSummary?
            try await eventually("both ends are stored") {
                let answer = try await Self.get("/v1/sessions/call", server)
                summary = try? JSONDecoder().decode(SessionSummary.self, from: Data(answer.body))
                return summary?.flows.count == 2
            }
            #expect(summary?.overview.mediaMode == .observed && summary?.streams.count == 1)
            #expect(summary?.connections.compactMap(\.name).sorted() == ["alice", "bob"])
            try await eventually("what happened is stored") {
                let answer = try await Self.get("/v1/sessions/call/timeline", server)
                return String(decoding: answer.body, as: UTF8.self).contains("getUserMedia")
            }
            await alice.close()
            try await eventually("its stream has ended") {
                let answer = try await Self.get("/v1/sessions/call/timeline", server)
                return String(decoding: answer.body, as: UTF8.self).contains("streamDestroyed")
            }
            await bob.close()
        }
    }

    @Test("a socket ends with its token, whether or not anything comes")
    func expiry() async throws {
        try await TestServer.run(Self.configuration) { server in
            let tokens = try await APITokens(
                applicationID: TestServer.applicationID, applicationSecret: TestServer.secret)
            let token = try await tokens.token(
                [.observe], observer: .init(call: "call", participant: "alice"), lifetime: .seconds(6))
            let alice = try await TestSocket.connect(port: server.port, path: Self.path(token.token))
            for message in RTCStatsMessages.page(sends: true) { try await alice.send(text: message) }
            #expect(try await alice.end() == 1008)
            #expect(Date().timeIntervalSince1970 * 1000 >= token.expires)
            try await eventually("what it sent before is stored") {
                let answer = try await Self.get("/v1/sessions/call/timeline", server)
                return String(decoding: answer.body, as: UTF8.self).contains("streamCreated")
            }
        }
    }

    @Test("a call that the application ends is over for its pages, until they have new tokens")
    func ended() async throws {
        try await TestServer.run(Self.configuration) { server in
            let alice = try await Self.connect(server, as: "alice")
            let page = RTCStatsMessages.page(sends: true)
            for message in page { try await alice.send(text: message) }
            try await eventually("the call is there") {
                try await Self.get("/v1/sessions/call", server).status == 200
            }
            let application = Data("\(TestServer.applicationID):\(TestServer.secret)".utf8)
                .base64EncodedString()
            let ended = try await TestHTTP.request(
                .DELETE, "/v1/sessions/call", port: server.port,
                headers: ["Authorization": "Basic \(application)"])
            #expect(ended.status == 204)
            try await alice.send(
                text: #"["g","PC_0",{"0":{"79":999,"80":99999},"t":1700000009000},1000]"#)
            #expect(try await alice.end() == 1008)
        }
    }

    @Test("without a token that is good it is closed, as rtcstats-js expects it")
    func tokens() async throws {
        try await TestServer.run { server in
            let other = try await APITokens(
                applicationID: TestServer.applicationID, applicationSecret: TestServer.secret
            ).token([.read]).token
            for path in ["/v1/rtcstats", "/v1/rtcstats?token=x", Self.path("x"), Self.path(other)] {
                let socket = try await TestSocket.connect(port: server.port, path: path)
                #expect(try await socket.end() == 1008, "\(path)")
            }
        }
    }

    @Test("what is no message is endured for a while, what is too long is not, and no one else is harmed")
    func garbage() async throws {
        try await TestServer.run(Self.configuration) { server in
            let bob = try await Self.connect(server, as: "bob")
            let mallory = try await Self.connect(server, as: "mallory")
            for _ in 0..<8 { try await mallory.send(text: "{") }
            #expect(try await mallory.end() == 1008)
            let eve = try await Self.connect(server, as: "eve")
            try await eve.send(text: "[" + String(repeating: " ", count: 1 << 18) + "]")
            #expect(try await eve.end() == 1008)
            for message in RTCStatsMessages.page(sends: true) { try await bob.send(text: message) }
            try await eventually("bob is in the call, alone") {
                let answer = try await Self.get("/v1/sessions/call", server)
                let summary = try? JSONDecoder().decode(SessionSummary.self, from: Data(answer.body))
                return summary?.connections.compactMap(\.name) == ["bob"]
            }
            await bob.close()
        }
    }

    @Test("a participant has a few sockets at most, and they make room when they are gone")
    func several() async throws {
        var configuration = TestServer.configuration
        configuration.limits.connectionsPerToken = 1
        try await TestServer.run(configuration) { server in
            let first = try await Self.connect(server, as: "alice")
            try await first.send(text: RTCStatsMessages.page(sends: true)[0])
            let second = try await Self.connect(server, as: "alice")
            #expect(try await second.end() == 1008)
            await first.close()
            var others: [TestSocket] = []
            try await eventually("there is room") {
                let other = try await Self.connect(server, as: "alice")
                others.append(other)
                for message in RTCStatsMessages.page(sends: true) { try? await other.send(text: message) }
                let answer = try await Self.get("/v1/sessions/call", server)
                return String(decoding: answer.body, as: UTF8.self).contains("publisher")
            }
            for other in others { await other.close() }
        }
    }

    @Test("the version that is asked for is answered; another gets no socket")
    func versions() async throws {
        try await TestServer.run { server in
            let token = try await Self.token("alice")
            for (asked, isTaken) in [
                ("rtcstats#5.0", true), ("other, rtcstats#5.1", true), ("rtcstats#50", false),
                ("rtcstats#4.0", false),
            ] {
                let connection = try await RawConnection.connect(port: server.port)
                let request = RawConnection.upgrade(["Sec-WebSocket-Protocol": asked])
                    .replacing("/v1/session", with: Self.path(token))
                try await connection.send(request)
                try await eventually("an answer") { connection.hasHead }
                #expect(connection.text.hasPrefix(isTaken ? "HTTP/1.1 101" : "HTTP/1.1 426"), "\(asked)")
                #expect(connection.text.contains("rtcstats#5") == isTaken, "\(connection.text)")
                try await connection.channel.close()
            }
        }
    }
}
