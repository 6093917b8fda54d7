// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionWire
import TestSupport
import Testing
import WebRTCStats

@Suite("Reports of observed calls, as they are passed on")
struct ObservedReportsTests {
    @Test("are read again as they were")
    func passedOn() throws {
        let data = try Data(contentsOf: Repository.fixture("getstats/sender.json"))
        let stats = try StatsReport.parse(Array(data)).report
        let reports = ObservedReports(
            client: "a \"page\"\n1.0",
            reports: [
                ObservedReport(.report(stats)),
                ObservedReport(
                    peerConnection: "pc \\ 2", time: 1_700_000_000_000.5, .report(stats), remote: "bob",
                    tracks: [
                        "t": TrackTag(participant: "bob", name: "camera"), "u": TrackTag(name: "screen"),
                    ]),
                ObservedReport(peerConnection: "pc 3", .closed),
            ],
            events: [
                ObservedEvent(.getUserMedia, time: 5, id: "e", detail: ["error": "NotAllowedError"]),
                ObservedEvent(.track),
            ])
        #expect(try ObservedReports(json: reports.json()) == reports)
        let farewell = ObservedReports(reports: [ObservedReport(.closed)])
        #expect(try ObservedReports(json: farewell.json()) == farewell)
    }
}
