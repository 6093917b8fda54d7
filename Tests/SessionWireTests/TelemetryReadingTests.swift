// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionWire
import Testing
import WebRTCStats

@Suite("Telemetry with raw reports")
struct TelemetryReadingTests {
    private static let entry =
        #"{"id":"OT1","timestamp":1700000000000.5,"type":"outbound-rtp","kind":"video","ssrc":7}"#

    private static func event(_ id: String, _ report: String) -> String {
        #"{"eventId":"\#(id)","capturedAt":1700000000000,"leg":"cam","report":\#(report)}"#
    }

    /// A message that is long enough to be read the short way.
    private static func message(_ events: [String], _ more: String = "") -> Data {
        let filler = String(repeating: "x", count: 2000)
        return Data(
            #"{"id":7,"type":"telemetry","events":[\#(events.joined(separator: ","))],"filler":"\#(filler)"\#(more)}"#
                .utf8)
    }

    @Test(
        "is read as a decoder reads it, whatever form the reports have",
        arguments: [
            message([event("a", "[\(entry)]")]),
            message([event("a", #"{"OT1":\#(entry)}"#), event("b", "[]")]),
            message([event("ä\\n", "[\(entry)]")], #","seq":3"#),
            message([event("a", "[\(entry)]")], #","seq":null"#),
            message([event("a", "[\(entry)]")], #","seq":3,"received":12"#),
            message([event("a", "[\(entry)]")], #","seq":3,"received":null"#),
            message([event("a", "[\(entry)]")], #","received":12"#),
            // Those that are left to the decoder.
            message([event("a", "[\(entry)]"), #"{"eventId":"b","capturedAt":1,"leg":"cam","sample":{}}"#]),
            message([]),
        ])
    func asDecoder(json: Data) throws {
        let wanted = try JSONDecoder().decode(ClientMessage.self, from: json)
        #expect(try ClientMessage(json: json) == wanted)
    }

    @Test(
        "what is not in order is refused with the member that is wrong",
        arguments: [
            (event("a", "7"), "report"), (#"{"eventId":1,"capturedAt":1,"leg":"x","report":[]}"#, "eventId"),
            (#"{"eventId":"a","leg":"x","report":[]}"#, "capturedAt"),
            (#"{"eventId":"b","capturedAt":1,"leg":"cam","sample":{},"report":[]}"#, "nothing else"),
        ])
    func refused(event: String, member: String) {
        let error = #expect(throws: ClientMessage.Unreadable.self) {
            try ClientMessage(json: Self.message([event]))
        }
        #expect(error?.id == 7 && error?.error.code == .malformed)
        #expect(error?.error.message.contains(member) == true)
    }
}
