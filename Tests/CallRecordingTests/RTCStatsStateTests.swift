// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@testable import CallRecording

@Suite("The report that differences make")
struct RTCStatsStateTests {
    private static func entry(_ id: String) -> StatsMember {
        StatsMember(name: id, value: .object([StatsMember(name: "a", value: .int(1))]))
    }

    @Test("in whatever order a difference names entries and members, the report has them in one order")
    func order() {
        let ids = ["b", "a", "c"]
        let names = ["type", "y", "x"]
        func entry(_ id: String, _ names: [String], _ value: StatsValue) -> StatsMember {
            let type = StatsValue.string("codec")
            let members = names.map { StatsMember(name: $0, value: $0 == "type" ? type : value) }
            return StatsMember(name: id, value: .object(members))
        }
        var state = RTCStatsState()
        _ = state.apply(ids.map { entry($0, names, .int(1)) }, form: .difference, .default)
        _ = state.apply([entry("c", ["x", "w"], .int(2))], form: .difference, .default)
        _ = state.apply([StatsMember(name: "a", value: .null)], form: .difference, .default)
        #expect(state.entries.map(\.name) == ["b", "c"])
        #expect(
            state.entries.map { $0.members.map(\.name) } == [["type", "x", "y"], ["type", "w", "x", "y"]])
        #expect(state.entries.map { $0["x"] } == [.int(1), .int(2)])
        let read = ReportFromValue(state, time: 5)
        #expect(read.report.codecs.map(\.id) == ["b", "c"] && read.issues == 0)
        #expect(read.report.codecs.last?.extra.map(\.value) == [.int(2), .int(2), .int(1)])
    }

    @Test(
        "a difference's time is that of the entries that it names, and in a compressed one of all of the own end"
    )
    func times() {
        func delta(_ ids: [String], _ name: String, _ time: Int64) -> [StatsMember] {
            ids.map { id in
                let type = StatsMember(name: "type", value: .string(id))
                return StatsMember(name: id, value: .object([type]))
            } + [StatsMember(name: name, value: .int(time))]
        }
        func times(_ form: RTCStatsState.Form, _ name: String) -> [StatsValue?] {
            var state = RTCStatsState()
            _ = state.apply(
                delta(["codec", "remote-inbound-rtp", "transport"], name, 1), form: form, .default)
            _ = state.apply(delta(["codec"], name, 2), form: form, .default)
            return state.entries.map { $0["timestamp"] }
        }
        #expect(times(.difference, "timestamp") == [.int(2), .int(1), .int(1)])
        #expect(times(.compressed, "t") == [.int(2), .int(1), .int(2)])
        #expect(times(.namesAll, "timestamp") == [.int(2)])
    }

    @Test("ids count towards its weight, so that long ones do not fill the memory, and go with their entries")
    func ids() {
        var limits = RecordingLimits()
        limits.reportWeight = 10_000
        var state = RTCStatsState()
        let long = String(repeating: "x", count: 100_000)
        var fitting = 0
        for number in 0..<20 where state.apply([Self.entry("\(number)\(long)")], form: .difference, limits) {
            fitting += 1
        }
        #expect(fitting == 3 && state.weight <= limits.reportWeight)
        let replaced = state.apply([Self.entry("short")], form: .namesAll, limits)
        #expect(replaced && state.weight == 2)
        let removed = state.apply([StatsMember(name: "short", value: .null)], form: .difference, limits)
        #expect(removed && state.weight == 0)
    }

    @Test("a member that would be too heavy finds no room, since it is gone through with each difference")
    func members() {
        func delta(_ range: Range<Int>) -> [StatsMember] {
            let parts = range.map { StatsMember(name: "p\($0)", value: .int(1)) }
            let members = [StatsMember(name: "96", value: .object(parts))]
            return [StatsMember(name: "a", value: .object(members))]
        }
        var state = RTCStatsState()
        let fits = [0..<300, 0..<200, 200..<300, 100..<210].map {
            state.apply(delta($0), form: .compressed, .default)
        }
        #expect(fits == [false, true, false, true])
        // The id, the member, and its parts.
        #expect(state.weight == 1 + 1 + 210)
    }

    @Test("a report in which a difference has changed some members is the one that all members make")
    func changes() {
        func delta(_ members: [String: StatsValue]) -> [StatsMember] {
            let members = members.map { StatsMember(name: $0.key, value: $0.value) }
            return [StatsMember(name: "a", value: .object(members))]
        }
        let whole: [String: StatsValue] = [
            "type": .string("outbound-rtp"), "timestamp": .int(1_000), "kind": .string("video"),
            "ssrc": .int(7), "bytesSent": .int(0), "packetsSent": .int(0), "targetBitrate": .double(1e6),
            "framesSent": .int(0), "own": .int(0), "mediaType": .string("video"), "active": .bool(true),
            "qualityLimitationDurations": .object([StatsMember(name: "cpu", value: .int(1))]),
        ]
        let other = whole.merging(["type": .string("codec"), "mimeType": .string("video/VP8")]) { $1 }
        let deltas: [[StatsMember]] = [
            delta(whole), delta(["bytesSent": .int(1), "targetBitrate": .int(5), "timestamp": .int(2_000)]),
            delta(["own": .double(1.5)]), delta(["mediaType": .string("audio"), "active": .bool(false)]),
            delta(["timestamp": .int(500)]), delta(["bytesSent": .uint(.max)]), delta(["framesSent": .null]),
            delta(["framesSent": .int(3)]), delta(["packetsSent": .string("many")]),
            delta(["packetsSent": .int(2)]), delta(["packetsSent": .int(3)]),
            delta(["added": .int(1), "own": .int(2)]), delta(["added": .int(2)]), delta(["own": .null]),
            delta(["type": .string("inbound-rtp")]), delta(["bytesSent": .int(9)]),
            [
                StatsMember(
                    name: "b", value: .object(other.map { StatsMember(name: $0.key, value: $0.value) }))
            ],
            delta(["timestamp": .int(600)]), delta(["timestamp": .string("never")]),
            delta(["timestamp": .int(700)]), delta(["id": .string("other")]), delta(["bytesSent": .int(10)]),
            [StatsMember(name: "b", value: .null)], delta(["bytesSent": .int(11)]),
        ]
        var state = RTCStatsState()
        for (number, delta) in deltas.enumerated() {
            let fits = state.apply(delta, form: .difference, .default)
            let all = ReportFromValue(state, time: 5)
            let read = state.read(time: 5)
            #expect(fits && read.report == all.report, "difference \(number)")
            #expect(read.issues == all.issues && read.firstIssue == all.firstIssue, "difference \(number)")
        }
    }
}
