// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing
import WebRTCStats

@Suite("Reports of which what changed is sent")
struct ReportRebuilderTests {
    private static let kinds: [(type: String, members: [String])] = [
        (
            "inbound-rtp",
            ["kind", "ssrc", "packetsReceived", "packetsLost", "jitter", "bytesReceived", "mid"]
        ),
        ("outbound-rtp", ["kind", "ssrc", "packetsSent", "bytesSent", "active", "qualityLimitationReason"]),
        ("candidate-pair", ["state", "nominated", "currentRoundTripTime", "availableOutgoingBitrate"]),
        // One of them is not a transport's.
        ("transport", ["iceState", "selectedCandidatePairId", "bytesSent", "jitter"]),
    ]

    private static func value(_ name: String, _ random: inout SeededRandom) -> StatsValue {
        switch name {
        case "kind": .string(random.chance(2) ? "audio" : "video")
        case "mid", "state", "iceState", "qualityLimitationReason", "selectedCandidatePairId":
            .string(["new", "checking", "ä", ""][random.next(4)])
        case "active", "nominated": .bool(random.chance(2))
        // Halves and their sums are exact.
        case "jitter", "currentRoundTripTime": .double(Double(random.next(1000)) / 8 + 0.125)
        case "packetsLost": .int(Int64(random.next(1000)) - 500)
        default: .int(Int64(random.next(1 << 40)))
        }
    }

    /// Reports whose objects and members come, change and go.
    private static func reports(
        _ random: inout SeededRandom
    ) -> [(time: Double, objects: [ReportWriter.Object])] {
        var objects: [ReportWriter.Object] = []
        return (0..<(5 + random.next(20))).map { second in
            if random.chance(3), objects.count < 12 {
                let kind = kinds[random.next(kinds.count)]
                objects.append((kind.type, "\(kind.type)\(random.next(1 << 30))", []))
            }
            if random.chance(6), !objects.isEmpty { objects.remove(at: random.next(objects.count)) }
            for index in objects.indices {
                let names = kinds.first { $0.type == objects[index].type }?.members ?? []
                for name in names where random.chance(2) {
                    objects[index].members.removeAll { $0.name == name }
                    guard !random.chance(5) else { continue }
                    objects[index].members.append(StatsMember(name: name, value: value(name, &random)))
                }
            }
            return (1_700_000_000_000 + Double(second) * 1000.5, objects)
        }
    }

    /// What the report is, read as a whole.
    private static func whole(_ objects: [ReportWriter.Object], at time: Double) -> StatsReport {
        var builder = StatsReportBuilder()
        for object in objects {
            builder.begin(type: object.type, id: object.id, timestamp: time)
            for member in object.members {
                builder.set(StatsReportBuilder.key(for: member.name), member.value)
            }
        }
        return builder.finish()
    }

    private static func entries(_ report: StatsReport) -> [String] {
        var found: [String] = []
        report.forEachEntry { type, entry in
            // 2 and 2.0 are the same number.
            let members = entry.members.map { member in
                "\(member.name)=\(member.value.number.map { "\($0)" } ?? "\(member.value)")"
            }.sorted()
            found.append("\(type) \(entry.id) \(entry.timestamp) \(members)")
        }
        return found.sorted()
    }

    @Test("are rebuilt as they were, over gaps and restarts", arguments: Seed.draw(30))
    func property(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var writer = ReportWriter()
        var rebuilder = ReportRebuilder()
        for (time, objects) in Self.reports(&random) {
            if random.chance(8) {
                // One is lost: what builds on it is refused, and the next whole one is taken.
                _ = writer.write(objects, at: time)
                let refused = rebuilder.add(writer.write(objects, at: time))
                #expect(refused == nil && rebuilder == ReportRebuilder(), "seed \(seed)")
                writer.restart()
            }
            let json = StatsValue.array(writer.write(objects, at: time))
            guard case .array(let changes) = json else { continue }
            let rebuilt = rebuilder.add(changes)
            let report = try #require(rebuilt, "seed \(seed)")
            #expect(Self.entries(report) == Self.entries(Self.whole(objects, at: time)), "seed \(seed)")
            #expect(report.timestamp == (objects.isEmpty ? 0 : time), "seed \(seed)")
        }
    }

    @Test("an object may have a time of its own, and numbers are rounded alike at both ends")
    func times() throws {
        var rebuilder = ReportRebuilder()
        let first = try StatsValue.parse(
            Array(
                #"[-1,1700000000000.125,["remote-inbound-rtp","R","timestamp",1699999999000.5,"jitter",0.1]]"#
                    .utf8))
        let second = try StatsValue.parse(Array(#"[2,1000,[0,0,1000.25,1,0.2]]"#.utf8))
        guard case .array(let one) = first, case .array(let two) = second else {
            Issue.record("these are no arrays")
            return
        }
        let before = rebuilder.add(one)?.remoteInboundRTP.first
        let after = rebuilder.add(two)?.remoteInboundRTP.first
        #expect(before?.timestamp == 1_699_999_999_000.5)
        #expect(after?.timestamp == 1_700_000_000_000.75 && after?.jitter == 0.3)
    }

    @Test(
        "what is not in order is refused, and nothing is kept of it",
        arguments: [
            "[]", "[1]", "[1,0]", "[0,0]", "[-9223372036854775808,0]", #"["a",0]"#, "[-1,1e300]", "[-1,null]",
            "[-1,0,[0,0,1]]", "[-1,0,0]", "[-1,0,-1]", "[-1,0,9223372036854775807]", "[-1,0,1.5]",
            "[-1,0,{}]",
            "[-1,0,[]]", #"[-1,0,["t"]]"#, #"[-1,0,["t",1]]"#, #"[-1,0,["t","a","b"]]"#,
            #"[-1,0,["t","a",1,2]]"#,
            #"[-1,0,["t","a"],[0,5,1]]"#, #"[-1,0,["t","a"],[0]]  "#, #"[-1,0,["t","a"],[0,"b"]]"#,
            #"[-1,0,["t","a"],[0,null,1]]"#, #"[-1,0,["t","a","b",[1]]]"#, #"[-1,0,["t","a","b",{"c":1}]]"#,
            #"[-1,0,["t","a"],0,0]"#, #"[-1,0,["t","a","b",1e17],[0,0,1e18]]"#,
        ])
    func refused(json: String) throws {
        guard case .array(let changes) = try StatsValue.parse(Array(json.utf8)) else {
            Issue.record("this is no array")
            return
        }
        var rebuilder = ReportRebuilder()
        // An array with nothing but its index changes nothing, and is in order.
        let isEmptyChange = json.hasSuffix("  ")
        let report = rebuilder.add(changes)
        #expect((report == nil) != isEmptyChange)
    }

    @Test("objects, members and texts are bounded")
    func bounded() {
        func object(_ id: String, _ members: Int) -> StatsValue {
            .array([.string("t"), .string(id)] + (0..<members).flatMap { [.string("m\($0)"), .int(1)] })
        }
        func isTaken(_ objects: [StatsValue]) -> Bool {
            var rebuilder = ReportRebuilder()
            return rebuilder.add([.int(-1), .int(0)] + objects) != nil
        }
        let limit = ReportRebuilder.objectLimit
        #expect(isTaken((0..<limit).map { object("\($0)", 0) }))
        #expect(!isTaken((0...limit).map { object("\($0)", 0) }))
        let members = ReportRebuilder.weightLimit - 4
        #expect(isTaken([object("a", members)]))
        #expect(!isTaken([object("a", members + 1)]))
        #expect(!isTaken([object(String(repeating: "x", count: 32), members)]))
        #expect(!isTaken([object(String(repeating: "x", count: ReportRebuilder.textLimit + 1), 0)]))
    }

    @Test("a whole report that is too large is known as such; one of what changed asks for a whole one")
    func tooLarge() {
        func objects(_ count: Int, _ first: Int = 0) -> [StatsValue] {
            (first..<first + count).map { .array([.string("t"), .string("\($0)")]) }
        }
        var rebuilder = ReportRebuilder()
        let limit = ReportRebuilder.objectLimit
        #expect(rebuilder.add([.int(-1), .int(0)] + objects(limit + 1)) == nil && rebuilder.isTooLarge)
        #expect(rebuilder.add([.int(-1), .int(0)] + objects(limit)) != nil && !rebuilder.isTooLarge)
        #expect(rebuilder.add([.int(2), .int(0)] + objects(1, limit)) == nil && !rebuilder.isTooLarge)
        #expect(rebuilder.add([.int(-3), .int(0), .int(7)]) == nil && !rebuilder.isTooLarge)
    }

    @Test("what it has got is known by its number, and nothing once its base is lost")
    func past() {
        func changes(_ number: Int64) -> [StatsValue] { [.int(number), .int(1000)] }
        var rebuilder = ReportRebuilder()
        #expect(!rebuilder.isPast(changes(1)) && !rebuilder.isPast([]) && !rebuilder.isPast(changes(.min)))
        #expect(rebuilder.add(changes(-5)) != nil && rebuilder.add(changes(6)) != nil)
        #expect(rebuilder.isPast(changes(-5)) && rebuilder.isPast(changes(2)) && rebuilder.isPast(changes(6)))
        #expect(!rebuilder.isPast(changes(7)) && !rebuilder.isPast(changes(-7)))
        #expect(rebuilder.add(changes(9)) == nil && !rebuilder.isPast(changes(6)))
    }

    @Test("nothing that is not a report traps", arguments: Seed.draw(20))
    func arbitrary(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var rebuilder = ReportRebuilder()
        func value(_ depth: Int) -> StatsValue {
            switch random.next(depth > 0 ? 9 : 7) {
            case 0: .null
            case 1: .bool(true)
            case 2: .int(Int64(random.next(8)) - 3)
            case 3: .int([.max, .min, 1 << 53][random.next(3)])
            case 4: .uint(.max)
            case 5: .double([.nan, .infinity, 1e308, -1e308, 0.5][random.next(5)])
            case 6: .string(["jitter", "timestamp", "", "type"][random.next(4)])
            case 7: .array((0..<random.next(5)).map { _ in value(depth - 1) })
            default: .array([.string("inbound-rtp"), .string("a"), .string("jitter"), value(depth - 1)])
            }
        }
        var number: Int64 = 0
        for _ in 0..<300 {
            number = random.chance(5) ? -1 : abs(number) + 1
            let changes = [.int(number), value(0)] + (0..<random.next(4)).map { _ in value(2) }
            if rebuilder.add(changes) == nil { number = 0 }
        }
        #expect(rebuilder.weight <= ReportRebuilder.weightLimit)
    }
}
