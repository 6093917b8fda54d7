// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@Suite("Reports inside other JSON")
struct WrappedReportsTests {
    @Test("each is read where it stands as if it stood alone, and its number is in its place")
    func reads() throws {
        for name in Fixture.plainNames {
            let report = try Fixture.report(name)
            let text =
                #"{"a":[1,"report"],"events":[{"report": "#.utf8 + report
                + #" ,"x":2.5},{"report":{}}]}"#.utf8
            let wrapped = try WrappedReports.parse(Array(text), at: .member("report"))
            #expect(wrapped.reports.first == .success(try StatsReport.parse(report)), "\(name)")
            #expect(wrapped.reports.count == 2)
            let value = try StatsValue.parse(
                #"{"a":[1,"report"],"events":[{"report":0,"x":2.5},{"report":1}]}"#.utf8)
            #expect(wrapped.value == value)
        }
    }

    @Test(
        "a list of reports is one of pairs, or has names",
        arguments: [#"[["a",[%]],["b",{"c":%}]]"#, #"{"a":[%],"b":{"c":%}}"#])
    func lists(list: String) throws {
        let entry = #"{"type":"codec","id":"c","timestamp":1}"#
        let text = #"{"pcs":\#(list.replacing("%", with: entry)),"x":{"pcs":[["a",[1]]]}}"#
        let wrapped = try WrappedReports.parse(text.utf8, at: .list("pcs"))
        let report = try StatsReport.parse("[\(entry)]".utf8)
        #expect(wrapped.reports == [.success(report), .success(report)])
        let isNamed = list.hasPrefix("{")
        let places = isNamed ? #"{"a":0,"b":1}"# : #"[["a",0],["b",1]]"#
        let rest = try StatsValue.parse(#"{"pcs":\#(places),"x":{"pcs":[["a",[1]]]}}"#.utf8)
        #expect(wrapped.value == rest)
    }

    @Test(
        "what is in a list without being a report stays what it is",
        arguments: ["7", "[7,[],[[]]]", #"{"a":"x"}"#])
    func otherLists(list: String) throws {
        let text = #"{"pcs":\#(list)}"#
        let wrapped = try WrappedReports.parse(text.utf8, at: .list("pcs"))
        #expect(wrapped == WrappedReports(value: try StatsValue.parse(text.utf8)))
    }

    @Test(
        "entries without a time have that of what is around them, wherever it stands",
        arguments: [#"{"time":5,"r":%}"#, #"{"r":%,"time":5}"#])
    func defaultTime(form: String) throws {
        let entries = #"[{"type":"codec","id":"a"},{"type":"codec","id":"b","timestamp":3}]"#
        let text = form.replacing("%", with: entries)
        let wrapped = try WrappedReports.parse(text.utf8, at: .member("r"), time: "time")
        let reports = try wrapped.reports.map { try $0.get() }
        #expect(reports.map { $0.report.codecs.map(\.timestamp) } == [[5, 3]])
        #expect(reports.map(\.report.timestamp) == [5])
        #expect(reports.flatMap(\.issues) == [])
        let untimed = try WrappedReports.parse(text.utf8, at: .member("r")).reports.map { try $0.get() }
        #expect(untimed.map(\.report.timestamp) == [3])
        #expect(untimed.flatMap(\.issues).map(\.code) == [.missingTimestamp])
    }

    @Test("members of that name that are no arrays or objects stay what they are")
    func others() throws {
        let text = #"{"report":null,"b":{"report":7.5},"c":[{"report":"x"}]}"#
        let wrapped = try WrappedReports.parse(AnySequence(Array(text.utf8)), at: .member("report"))
        #expect(wrapped == WrappedReports(value: try StatsValue.parse(text.utf8)))
    }

    @Test(
        "a number in a report's place is not taken for a report's",
        arguments: [
            (#"{"r":[["a",[]],["b",0]]}"#, #"{"r":[["a",0],["b",null]]}"#),
            (#"{"r":{"a":0}}"#, #"{"r":{"a":null}}"#),
        ])
    func numbers(list: String, left: String) throws {
        let wrapped = try WrappedReports.parse(list.utf8, at: .list("r"))
        #expect(wrapped.value == (try StatsValue.parse(left.utf8)))
    }

    @Test(
        "what is no JSON is refused, inside a report and around it",
        arguments: [
            "", "{", #"{"report":[{]}"#, #"{"report":[}"#, #"{"report":[]"#, #"{"report":[]}}"#,
            #"{"report":[],}"#,
            #"{"a" 1}"#,
        ])
    func refuses(text: String) {
        #expect(throws: StatsParseError.self) { try WrappedReports.parse(text.utf8, at: .member("report")) }
    }

    @Test(
        "a report of too many entries costs only itself, wherever the time stands",
        arguments: [#"{"time":5,"r":%}"#, #"{"r":%,"time":5}"#])
    func entries(form: String) throws {
        let entry = #"{"type":"codec","id":"c","x":[{"y":1}]}"#
        let list = #"[["a",[\#(entry)]],["b",[\#(entry),{},{"z":[]}]],["c",{"c":\#(entry)}]]"#
        let text = form.replacing("%", with: list)
        var limits = ParseLimits()
        limits.entries = 1
        let wrapped = try WrappedReports.parse(text.utf8, at: .list("r"), time: "time", limits: limits)
        #expect(wrapped.value["r"] == (try StatsValue.parse(#"[["a",0],["b",1],["c",2]]"#.utf8)))
        #expect(wrapped.reports.map { try? $0.get().report.codecs.map(\.timestamp) } == [[5], nil, [5]])
        let second = text.ranges(of: ",{}")[0].lowerBound.utf16Offset(in: text) + 1
        #expect(wrapped.reports[1] == .failure(StatsParseError(.tooManyEntries, offset: second)))
        #expect(throws: StatsParseError(.invalidJSON, offset: text.utf8.count - 2)) {
            try WrappedReports.parse(
                text.dropLast(2).utf8 + Array("}}".utf8), at: .list("r"), limits: limits)
        }
    }

    @Test("depth and bytes are limited")
    func limits() {
        let deep = String(repeating: #"{"a":["#, count: 300)
        let error = #expect(throws: StatsParseError.self) {
            try WrappedReports.parse(deep.utf8, at: .member("report"))
        }
        #expect(error?.code == .tooDeep)
        var limits = ParseLimits()
        limits.bytes = 10
        #expect(throws: StatsParseError.self) {
            try WrappedReports.parse(#"{"report":[]}"#.utf8, at: .member("report"), limits: limits)
        }
    }
}
