// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import WebRTCStats

@Suite("Building a report from an engine's objects")
struct StatsReportBuilderTests {
    @Test("entries and members come out as they went in")
    func entries() {
        var builder = StatsReportBuilder()
        builder.begin(type: "inbound-rtp", id: "i", timestamp: 20)
        builder.set(StatsReportBuilder.key(for: "packetsLost"), .int(-2))
        builder.set(StatsReportBuilder.key(for: "bytesReceived"), .uint(.max))
        builder.set(StatsReportBuilder.key(for: "jitter"), .int(1))
        builder.set(StatsReportBuilder.key(for: "kind"), .string("audio"))
        builder.set(StatsReportBuilder.key(for: "googNew"), .bool(true))
        builder.set(
            StatsReportBuilder.key(for: "lastPacketReceivedTimestamp"), .double(1_795_212_455_357_654))
        builder.end()
        builder.begin(type: "stream", id: "s", timestamp: 10)
        builder.set(StatsReportBuilder.key(for: "trackIds"), .array([.string("a")]))
        var expected = StatsReport(timestamp: 20)
        var inbound = InboundRTPStats(id: "i", timestamp: 20)
        inbound.packetsLost = -2
        inbound.bytesReceived = .max
        inbound.jitter = 1
        inbound.kind = .audio
        inbound.lastPacketReceivedTimestamp = 1_795_212_455_357.654
        inbound.extra = [StatsMember(name: "googNew", value: .bool(true))]
        expected.inboundRTP = [inbound]
        let members = [StatsMember(name: "trackIds", value: .array([.string("a")]))]
        expected.unknown = [UnknownStats(type: "stream", id: "s", timestamp: 10, members: members)]
        #expect(builder.finish() == expected)
        #expect(builder.issues.isEmpty)
    }

    @Test("every type of the specification has its place")
    func types() throws {
        var builder = StatsReportBuilder()
        for type in MemberCoverageTests.types + ["track"] {
            builder.begin(type: type, id: type, timestamp: 1)
            builder.end()
        }
        let report = builder.finish()
        #expect(report.entryCount == 15)
        #expect(report.entriesByID.allSatisfy { $0.key == $0.value.type })
        #expect(report.unknown.map(\.type) == ["track"])
    }

    @Test("each kind of member takes numbers of other kinds where they fit")
    func conversions() {
        var builder = StatsReportBuilder()
        builder.begin(type: "inbound-rtp", id: "i", timestamp: 1)
        builder.set(StatsReportBuilder.key(for: "packetsLost"), .uint(3))
        builder.set(StatsReportBuilder.key(for: "nackCount"), .double(4))
        builder.set(StatsReportBuilder.key(for: "jitter"), .uint(5))
        builder.set(StatsReportBuilder.key(for: "qpSum"), .int(6))
        let entry = builder.finish().inboundRTP.first
        #expect(entry?.packetsLost == 3)
        #expect(entry?.nackCount == 4)
        #expect(entry?.jitter == 5)
        #expect(entry?.qpSum == 6)
        #expect(builder.issues.isEmpty)
    }

    @Test(
        "what a member cannot hold is kept aside and named",
        arguments: [
            ("packetsLost", StatsValue.uint(1 << 63)), ("nackCount", .int(-1)), ("nackCount", .double(1e20)),
            ("nackCount", .double(-1)), ("packetsLost", .double(1e19)), ("packetsLost", .double(0.5)),
            ("mid", .int(1)), ("kind", .bool(false)), ("powerEfficientDecoder", .int(1)),
        ])
    func outOfRange(name: String, value: StatsValue) {
        var builder = StatsReportBuilder()
        builder.begin(type: "inbound-rtp", id: "i", timestamp: 1)
        builder.set(StatsReportBuilder.key(for: name), value)
        let report = builder.finish()
        #expect(report.inboundRTP.first?.extra == [StatsMember(name: name, value: value)])
        #expect(
            builder.issues == [
                ParseIssue(.mistypedMember, entryType: "inbound-rtp", entryID: "i", member: name)
            ])
    }

    @Test("numbers that are not finite are not reported", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(number: Double) {
        var builder = StatsReportBuilder()
        builder.begin(type: "media-source", id: "m", timestamp: 1)
        for name in ["audioLevel", "frames", "googNew", "kind", "qpSum"] {
            builder.set(StatsReportBuilder.key(for: name), .double(number))
        }
        let report = builder.finish()
        #expect(report.mediaSources == [MediaSourceStats(id: "m", timestamp: 1)])
        #expect(builder.issues.map(\.code) == Array(repeating: .numberOutOfRange, count: 5))
    }

    @Test("no order of calls does harm")
    func anyOrder() {
        var builder = StatsReportBuilder()
        builder.end()
        builder.set(StatsReportBuilder.key(for: "jitter"), .int(1))
        builder.begin(type: "codec", id: "a", timestamp: 1)
        builder.set(StatsReportBuilder.key(for: "id"), .string("b"))
        builder.set(StatsReportBuilder.key(for: "type"), .string("transport"))
        builder.set(StatsReportBuilder.key(for: "timestamp"), .int(9))
        builder.begin(type: "codec", id: "b", timestamp: .nan)
        builder.end()
        builder.end()
        let report = builder.finish()
        #expect(report == builder.finish())
        #expect(report.codecs == [CodecStats(id: "a", timestamp: 1), CodecStats(id: "b", timestamp: 1)])
        #expect(builder.issues.map(\.code) == [.missingTimestamp])
    }

    @Test("the last value of a member counts")
    func duplicates() {
        var builder = StatsReportBuilder()
        builder.begin(type: "codec", id: "a", timestamp: 1)
        for channels in 1...3 {
            builder.set(StatsReportBuilder.key(for: "channels"), .int(Int64(channels)))
            builder.set(StatsReportBuilder.key(for: "own"), .int(Int64(channels)))
        }
        let entry = builder.finish().codecs.first
        #expect(entry?.channels == 3)
        #expect(entry?.extra == [StatsMember(name: "own", value: .int(3))])
    }

    @Test("a key gives back its name, and every listed name has its own number")
    func keys() throws {
        var numbers: Set<UInt8> = []
        for name in MemberNames.all {
            let key = StatsReportBuilder.key(for: name)
            #expect(key.name == name)
            #expect(key.number > 0)
            numbers.insert(key.number)
        }
        #expect(numbers.count == MemberNames.all.count)
        #expect(MemberNames.all.allSatisfy { $0.utf8.count <= MemberIndex.longest })
        #expect(Set(try Fixture.specification().map(\.name)).isSubset(of: MemberNames.all))
    }

    @Test(
        "names that only look like a listed one have none",
        arguments: [
            "", "i", "idx", "jitterBufferDelaY", "packetsReportedAsLostButRecovereD",
            "packetsReportedAsXXXXButRecovered",
            "qualityLimitationResolutionChangesX", String(repeating: "x", count: 100), "jitter\u{0}",
            "\u{0}id", "tid",
        ])
    func unlistedKeys(name: String) {
        let key = StatsReportBuilder.key(for: name)
        #expect(key.number == 0)
        #expect(key.name == name)
    }
}
