// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import RouterWire
import SessionWire
import Testing
import WebRTCStats

@testable import SessionCore

/// Observed calls through a server that gives streams SSRCs of its own.
@Suite("Observed calls through an SFU")
struct ObservedServerTests {
    /// Everyone sends audio to a server, and receives that of all others by one peer connection.
    private struct Room {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
        let people: [String]
        /// Share of what is lost between a participant and the server.
        var uplinkLoss: [String: Double] = [:]
        /// Share of what is lost between the server and a participant.
        var downlinkLoss: [String: Double] = [:]
        /// What receivers and senders say of a track.
        var receivedTag: (String) -> TrackTag? = { TrackTag(participant: $0, name: "microphone") }
        var sentTag: TrackTag? = TrackTag(name: "microphone")
        private var sent: [String: LegScript] = [:]
        private var received: [String: LegScript] = [:]

        init(_ people: [String]) {
            self.people = people
            for own in people {
                sent[own] = LegScript(.subscriber, "", "")
                for other in people where other != own {
                    received[own + other] = LegScript(.publisher, "", "")
                }
            }
        }

        mutating func run(_ seconds: Int) throws {
            for _ in 0..<seconds {
                scenario.pass(.seconds(1))
                for own in people {
                    let receipt = try scenario.observe(
                        ObservedCallTests.grant(own), [publication(of: own), subscription(of: own)])
                    #expect(receipt.accepted == 2 && receipt.error == nil)
                }
            }
            scenario.pass(.milliseconds(200))
        }

        private mutating func publication(of own: String) -> ObservedReport {
            var report = sent[own]?.next(loss: uplinkLoss[own] ?? 0).stats ?? StatsReport()
            let ssrc = 10 + UInt64(people.firstIndex(of: own) ?? 0)
            report.outboundRTP[0].ssrc = ssrc
            report.outboundRTP[0].mediaSourceId = "S"
            report.remoteInboundRTP[0].ssrc = ssrc
            var source = MediaSourceStats(id: "S", timestamp: report.timestamp)
            (source.kind, source.trackIdentifier) = (.audio, "sent \(own)")
            report.mediaSources = [source]
            return ObservedReport(
                peerConnection: "up", .report(report), tracks: sentTag.map { ["sent \(own)": $0] })
        }

        /// What is lost on a sender's uplink is missing behind the server, too.
        private mutating func subscription(of own: String) -> ObservedReport {
            var whole = StatsReport()
            var tags: [String: TrackTag] = [:]
            for (index, other) in people.enumerated() where other != own {
                let passed = (1 - (uplinkLoss[other] ?? 0)) * (1 - (downlinkLoss[own] ?? 0))
                var report = received[own + other]?.next(loss: 1 - passed).stats ?? StatsReport()
                let track = "received \(other)"
                (report.inboundRTP[0].id, report.inboundRTP[0].ssrc) = ("I\(index)", 100 + UInt64(index))
                (report.inboundRTP[0].mid, report.inboundRTP[0].trackIdentifier) = ("\(index)", track)
                tags[track] = receivedTag(other)
                let entries = whole.inboundRTP + report.inboundRTP
                whole = report
                whole.inboundRTP = entries
            }
            return ObservedReport(peerConnection: "down", .report(whole), tracks: tags)
        }

        /// The last sample of what one receives from another; of what it sends itself if both are one.
        func sample(of name: String, from sender: String) -> StreamSample? {
            let role: StreamRole = name == sender ? .publisher : .subscriber
            let names = connections
            let key = scenario.stored.compactMap { record -> FlowKey? in
                guard case .flow(let flow) = record, flow.role == role, names[flow.key.connection] == name,
                    owner(of: flow.stream).flatMap({ names[$0] }) == sender
                else { return nil }
                return flow.key
            }.last
            return scenario.stored.reversed().lazy.compactMap { record -> StreamSample? in
                if case .sample(let sample) = record, sample.flow == key { sample.sample } else { nil }
            }.first
        }

        private func owner(of stream: String) -> String? {
            scenario.stored.lazy.compactMap { record -> String? in
                if case .stream(let one) = record, one.name == stream { one.connection } else { nil }
            }.first
        }

        private var connections: [String: String] {
            scenario.stored.reduce(into: [:]) { all, record in
                if case .connection(let one) = record { all[one.name] = one.displayName ?? "" }
            }
        }
    }

    @Test("whose track is known is no one else's, also not what was measured before, nor after all have left")
    func noUnknown() throws {
        var room = Room(["alice", "bob", "carol"])
        try room.run(6)
        room.scenario.pass(.seconds(60))
        let ownerless = room.scenario.stored.count { record in
            if case .stream(let stream) = record { stream.connection == nil } else { false }
        }
        #expect(ownerless == 0)
    }

    @Test("losses before the server are the sender's uplink's, at its own end and at all who receive it")
    func uplink() throws {
        var room = Room(["alice", "bob", "carol"])
        try room.run(10)
        for name in room.people {
            for other in room.people {
                #expect(room.sample(of: name, from: other)?.diagnosis?.cause == Diagnosis.Cause.none)
            }
        }
        room.uplinkLoss["alice"] = 0.2
        try room.run(5)
        let own = try #require(room.sample(of: "alice", from: "alice"))
        #expect(own.diagnosis?.cause == .packetLoss && own.diagnosis?.direction == .uplink)
        #expect(own.networkDegradationSource == .remote, "as its receivers see it")
        for name in ["bob", "carol"] {
            let received = try #require(room.sample(of: name, from: "alice"))
            #expect(received.diagnosis?.cause == .packetLoss && received.diagnosis?.direction == .uplink)
            #expect(received.diagnosis?.side == .remote && received.networkDegradationSource == .remote)
            let other = name == "bob" ? "carol" : "bob"
            #expect(
                room.sample(of: name, from: other)?.diagnosis?.cause == Diagnosis.Cause.none,
                "nothing of \(other)'s is lost")
            #expect(room.sample(of: name, from: name)?.diagnosis?.cause == Diagnosis.Cause.none)
        }
    }

    @Test("losses behind the server are the receiver's downlink's, and no sender's")
    func downlink() throws {
        var room = Room(["alice", "bob", "carol"])
        try room.run(10)
        room.downlinkLoss["bob"] = 0.2
        try room.run(5)
        for sender in ["alice", "carol"] {
            let received = try #require(room.sample(of: "bob", from: sender))
            #expect(received.diagnosis?.cause == .packetLoss && received.diagnosis?.side == .local)
            #expect(received.networkDegradationSource == .local)
            #expect(room.sample(of: sender, from: sender)?.networkDegradationSource == nil)
        }
        #expect(
            room.sample(of: "carol", from: "alice")?.networkDegradationSource == NetworkDegradationSource.none
        )
    }

    @Test("losses on both paths are found on both")
    func both() throws {
        var room = Room(["alice", "bob", "carol"])
        try room.run(10)
        room.uplinkLoss["alice"] = 0.1
        room.downlinkLoss["bob"] = 0.25
        try room.run(8)
        #expect(room.sample(of: "bob", from: "carol")?.diagnosis?.side == .local)
        let received = try #require(room.sample(of: "bob", from: "alice")?.networkDegradationSource)
        #expect([.local, .bothOrUnclear].contains(received), "\(received)")
        #expect(room.sample(of: "carol", from: "alice")?.networkDegradationSource == .remote)
    }

    @Test(
        "a name that one participant alone gives is enough; a participant's word is, where it sends by one peer connection"
    )
    func tags() throws {
        let ways: [(sent: TrackTag?, received: (String) -> TrackTag?)] = [
            (nil, { TrackTag(participant: $0) }), (nil, { TrackTag(participant: $0, name: "other") }),
        ]
        for way in ways {
            var room = Room(["alice", "bob", "carol"])
            (room.sentTag, room.receivedTag) = way
            try room.run(6)
            #expect(
                room.sample(of: "bob", from: "alice") != nil && room.sample(of: "bob", from: "carol") != nil)
        }
        // All call their track the same, and no one says whose it is: no one knows.
        var room = Room(["alice", "bob", "carol"])
        room.receivedTag = { _ in TrackTag(name: "microphone") }
        try room.run(6)
        #expect(room.sample(of: "bob", from: "alice") == nil && room.sample(of: "bob", from: "carol") == nil)
    }

    @Test("no one's word turns a path between two into one through a server")
    func liar() throws {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
        var (sent, received) = (LegScript(.subscriber, "", ""), LegScript(.publisher, "", ""))
        var lies = LegScript(.publisher, "", "")
        for second in 0..<16 {
            scenario.pass(.seconds(1))
            let loss = second < 8 ? 0 : 0.2
            _ = try scenario.observe(
                ObservedCallTests.grant("alice"), [ObservedReport(.report(sent.next(loss: loss).stats))])
            _ = try scenario.observe(
                ObservedCallTests.grant("bob"), [ObservedReport(.report(received.next(loss: loss).stats))])
            var lie = lies.next().stats
            (lie.inboundRTP[0].ssrc, lie.inboundRTP[0].trackIdentifier) = (99, "T")
            _ = try scenario.observe(
                ObservedCallTests.grant("mallory"),
                [ObservedReport(.report(lie), tracks: ["T": TrackTag(participant: "alice")])])
        }
        scenario.pass(.milliseconds(200))
        let sides = scenario.stored.compactMap { record -> NetworkDegradationSource? in
            guard case .sample(let sample) = record, sample.sample.diagnosis?.direction == .uplink else {
                return nil
            }
            return sample.sample.networkDegradationSource
        }
        #expect(sides.contains(.bothOrUnclear) && !sides.contains(.remote) && !sides.contains(.local))
    }
}
