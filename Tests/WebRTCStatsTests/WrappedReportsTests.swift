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
            let wrapped = try WrappedReports.parse(Array(text), member: "report")
            #expect(wrapped.reports.first == (try StatsReport.parse(report)), "\(name)")
            #expect(wrapped.reports.count == 2)
            let value = try StatsValue.parse(
                #"{"a":[1,"report"],"events":[{"report":0,"x":2.5},{"report":1}]}"#.utf8)
            #expect(wrapped.value == value)
        }
    }

    @Test("members of that name that are no arrays or objects stay what they are")
    func others() throws {
        let text = #"{"report":null,"b":{"report":7},"c":[{"report":"x"}]}"#
        let wrapped = try WrappedReports.parse(AnySequence(Array(text.utf8)), member: "report")
        #expect(wrapped == WrappedReports(value: try StatsValue.parse(text.utf8)))
    }

    @Test(
        "what is no JSON is refused, inside a report and around it",
        arguments: [
            "", "{", #"{"report":[{]}"#, #"{"report":[}"#, #"{"report":[]"#, #"{"report":[]}}"#,
            #"{"report":[],}"#,
            #"{"a" 1}"#,
        ])
    func refuses(text: String) {
        #expect(throws: StatsParseError.self) { try WrappedReports.parse(text.utf8, member: "report") }
    }

    @Test("depth and bytes are limited")
    func limits() {
        let deep = String(repeating: #"{"a":["#, count: 300)
        let error = #expect(throws: StatsParseError.self) {
            try WrappedReports.parse(deep.utf8, member: "report")
        }
        #expect(error?.code == .tooDeep)
        var limits = ParseLimits()
        limits.bytes = 10
        #expect(throws: StatsParseError.self) {
            try WrappedReports.parse(#"{"report":[]}"#.utf8, member: "report", limits: limits)
        }
    }
}
