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
            #expect(wrapped.reports.first == (try StatsReport.parse(report)), "\(name)")
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
        #expect(wrapped.reports == [report, report])
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
        #expect(wrapped.reports.map { $0.report.codecs.map(\.timestamp) } == [[5, 3]])
        #expect(wrapped.reports.map(\.report.timestamp) == [5])
        #expect(wrapped.reports.flatMap(\.issues) == [])
        let untimed = try WrappedReports.parse(text.utf8, at: .member("r"))
        #expect(untimed.reports.map(\.report.timestamp) == [3])
        #expect(untimed.reports.flatMap(\.issues).map(\.code) == [.missingTimestamp])
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
