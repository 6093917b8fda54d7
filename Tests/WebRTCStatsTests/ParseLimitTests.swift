// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@Suite("Limits of a report")
struct ParseLimitTests {
    private func limits(_ change: (inout ParseLimits) -> Void) -> ParseLimits {
        var limits = ParseLimits()
        change(&limits)
        return limits
    }

    @Test("a report may have as many bytes as allowed, and not one more")
    func bytes() throws {
        let json = #"[{"type":"codec","id":"c","timestamp":1}]"#
        let exact = limits { $0.bytes = json.utf8.count }
        #expect(try parse(json, limits: exact).report.codecs.count == 1)
        #expect(throws: StatsParseError(.tooLarge, offset: json.utf8.count + 1)) {
            try parse(json + " ", limits: exact)
        }
        #expect(try StatsReport.parse(AnySequence(json.utf8), limits: exact).report.codecs.count == 1)
        #expect(throws: StatsParseError.self) {
            try StatsReport.parse(AnySequence((json + " ").utf8), limits: exact)
        }
    }

    @Test("arrays and objects may nest as deep as allowed, and not one deeper")
    func depth() throws {
        func nested(_ levels: Int) -> String {
            let value = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            return #"[{"type":"codec","id":"c","timestamp":1,"x":\#(value)}]"#
        }
        let limits = limits { $0.depth = 5 }
        #expect(try parse(nested(3), limits: limits).report.codecs.first?.extra.count == 1)
        #expect(throws: StatsParseError(.tooDeep, offset: 47)) { try parse(nested(4), limits: limits) }
        #expect(throws: StatsParseError(.tooDeep, offset: 1)) {
            try parse("[{}]", limits: self.limits { $0.depth = 1 })
        }
        #expect(try parse("[1]", limits: self.limits { $0.depth = 1 }).issues.count == 1)
    }

    @Test("no limit allows more levels than the stack holds")
    func maximumDepth() throws {
        let unlimited = limits { $0.depth = .max }
        let levels = ParseLimits.maximumDepth
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(try parse(nested(levels), limits: unlimited).issues.count == 1)
        #expect(throws: StatsParseError(.tooDeep, offset: levels)) {
            try parse(nested(100_000), limits: unlimited)
        }
    }

    @Test("a report may have as many entries as allowed, and not one more")
    func entries() throws {
        let entry = #"{"type":"codec","id":"c","timestamp":1}"#
        let limits = limits { $0.entries = 3 }
        func report(_ count: Int) -> String {
            "[\(Array(repeating: entry, count: count).joined(separator: ","))]"
        }
        #expect(try parse(report(3), limits: limits).report.codecs.count == 3)
        let place = report(3).utf8.count
        #expect(throws: StatsParseError(.tooManyEntries, offset: place)) {
            try parse(report(4), limits: limits)
        }
        #expect(throws: StatsParseError.self) { try parse("[1,2,3,4]", limits: limits) }
    }

    @Test("an entry may have as many values as allowed; what is beyond is omitted")
    func valuesPerEntry() throws {
        func parsed(_ allowed: Int) throws -> ParsedStatsReport {
            try parse(
                #"[{"a":[1,2],"type":"codec","channels":2,"b":3,"id":"c","timestamp":1,"d":{"e":4}},7]"#,
                limits: limits { $0.valuesPerEntry = allowed })
        }
        let whole = try parsed(10)
        #expect(whole.report.codecs.first?.extra.map(\.name) == ["a", "b", "d"])
        #expect(whole.issues.map(\.code) == [.entryNotAnObject])
        let cut = try parsed(9)
        #expect(cut.report.codecs.first?.extra.map(\.name) == ["a", "b"])
        #expect(cut.issues.map(\.code) == [.tooManyValues, .entryNotAnObject])
        let tiny = try parsed(2)
        #expect(tiny.report.codecs == [CodecStats(id: "c", timestamp: 1)])
        #expect(tiny.issues.map(\.code) == [.tooManyValues, .entryNotAnObject])
        #expect(try parsed(.min).report.codecs.count == 1)
    }

    @Test("issues are recorded up to a number and counted beyond")
    func issues() throws {
        let most = StatsReportBuilder.maximumIssues
        func report(_ count: Int) -> String {
            "[\(Array(repeating: "1", count: count).joined(separator: ","))]"
        }
        let full = try parse(report(most))
        #expect((full.issues.count, full.omittedIssues) == (most, 0))
        let over = try parse(report(most + 1))
        #expect((over.issues.count, over.omittedIssues) == (most, 1))
    }

    @Test("limits that allow nothing refuse everything", arguments: [0, -1, .min])
    func nothing(limit: Int) {
        for path in [\ParseLimits.bytes, \.depth, \.entries] {
            var limits = ParseLimits()
            limits[keyPath: path] = limit
            #expect(throws: StatsParseError.self) { try parse("[1]", limits: limits) }
            #expect(throws: StatsParseError.self) {
                try StatsReport.parse(AnySequence("[1]".utf8), limits: limits)
            }
        }
    }
}
