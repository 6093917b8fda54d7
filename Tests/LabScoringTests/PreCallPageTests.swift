// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LabScoring
import MediaEngine
import Testing

@Suite("The pre-call table")
struct PreCallPageTests {
    private func outcome(
        _ name: String, _ verdict: String, failed: String? = nil, blamed: [NetworkDirection] = [],
        uplink: Double? = nil, downlink: Double? = nil, width: Int? = nil
    ) -> PreCallOutcome {
        PreCallOutcome(
            scenario: name, seed: 1, verdict: verdict, confidence: nil, failedStep: failed, blamed: blamed,
            width: width,
            uplink: uplink, downlink: downlink, seconds: 6, isFinite: true)
    }

    @Test("names are unique on lines as well, and a cap of one direction is held against that one alone")
    func lines() throws {
        let lines = PreCallScenario.onLines
        #expect(Set(lines.map(\.name)).count == lines.count)
        for scenario in lines { _ = try scenario.conditions.map { try NetworkConditions(parsing: $0) } }
        let narrow = try #require(lines.first { $0.name == "120 kbps up" })
        var run = outcome("120 kbps up", "audioOnly", blamed: [.uplink], uplink: 126_000, downlink: 5_000_000)
        run.setting = .line
        #expect(run.isRight(narrow))
        #expect(run.bandwidthErrors(narrow).map { $0.map { ($0 * 100).rounded() } } == [5])
        let page = PreCallPage(outcomes: [run]).text
        #expect(page.contains("## Media and signaling on one line"))
        #expect(!page.contains("## Media on the emulated network"))
        #expect(page.contains("| 120 kbps up | 1 of 1 | audioOnly | +5 % |"))
    }

    private func scenario(_ name: String) throws -> PreCallScenario {
        try #require(PreCallScenario.all.first { $0.name == name })
    }

    @Test("names are unique, and all networks can be emulated")
    func table() throws {
        #expect(Set(PreCallScenario.all.map(\.name)).count == PreCallScenario.all.count)
        for scenario in PreCallScenario.all {
            _ = try scenario.conditions.map { try NetworkConditions(parsing: $0) }
        }
    }

    @Test("a right verdict with the wrong reason is wrong")
    func right() throws {
        let lossy = try scenario("loss 4 % up")
        #expect(outcome("", "audioOnly", blamed: [.uplink]).isRight(lossy))
        #expect(!outcome("", "audioOnly", blamed: [.downlink]).isRight(lossy))
        #expect(!outcome("", "audioOnly", blamed: [.uplink, .downlink]).isRight(lossy))
        #expect(!outcome("", "neither", blamed: [.uplink]).isRight(lossy))
        #expect(!outcome("", "neither", failed: "dtls").isRight(try scenario("loss 8 % up")))
        let narrow = try scenario("640x360 only")
        #expect(outcome("", "audioAndVideo", width: 640).isRight(narrow))
        #expect(!outcome("", "audioAndVideo", width: 1280).isRight(narrow))
        #expect(!outcome("", "audioAndVideo").isRight(narrow))
        let blocked = try scenario("UDP blocked")
        #expect(outcome("", "neither", failed: "udpPath").isRight(blocked))
        #expect(!outcome("", "neither", failed: "dtls").isRight(blocked))
        #expect(!outcome("", "neither").isRight(blocked))
        #expect(outcome("", "neither", failed: "dtls").isRight(try scenario("15 kbps")))
        #expect(!outcome("", "neither", failed: "dtls").isRight(try scenario("40 kbps")))
    }

    @Test("a test of more than 15 s is wrong whatever it says, and is counted")
    func tooLong() throws {
        let clean = try scenario("clean")
        var run = outcome("clean", "audioAndVideo", width: clean.width)
        #expect(run.isRight(clean))
        run.seconds = 15
        #expect(run.isRight(clean))
        run.seconds = 15.1
        #expect(!run.isRight(clean))
        #expect(PreCallPage(outcomes: [run]).text.contains("more than 15 s, which are wrong: 1."))
    }

    @Test("a test without a report is wrong on every network, and is counted")
    func noReport() throws {
        let narrow = try scenario("15 kbps")
        let run = PreCallOutcome(.engine, narrow, 1, error: "killed", seconds: 60)
        #expect(!run.isRight(narrow))
        let page = PreCallPage(outcomes: [run, outcome("15 kbps", "neither")]).text
        #expect(page.contains("| 15 kbps | 1 of 2 | neither, no report |"))
        #expect(page.contains("Tests that ended without a report: 1."))
    }

    @Test("sections without new results stay as they are, and those that have some are written again")
    func keeps() throws {
        var browser = outcome("clean", "audioAndVideo", width: 1920)
        browser.setting = .browser
        let first = PreCallPage(
            outcomes: [outcome("clean", "audioAndVideo", width: 1920), browser], circumstances: ["By hand."]
        ).text
        let old = first.replacing("## What counts", with: "## Notes\n\nOf someone.\n\n## What counts")
        let page = PreCallPage(outcomes: [outcome("clean", "neither")], keeping: old).text
        func section(_ title: String, _ page: String) -> String? {
            page.components(separatedBy: "\n## ").first { $0.hasPrefix(title) }
        }
        #expect(page.components(separatedBy: "\n## ").count == 5)
        #expect(section("In a browser", page) == section("In a browser", first))
        #expect(section("In a browser", page)?.contains("- By hand.") == true)
        #expect(section("Media on", page)?.contains("| clean | 0 of 1 | neither |") == true)
        #expect(section("Media on", page)?.contains("By hand") == false)
        #expect(section("Notes", page)?.contains("Of someone.") == true)
        #expect(PreCallPage(outcomes: [outcome("clean", "neither")], keeping: page).text == page)
    }

    @Test("a bandwidth that was not measured counts as not close")
    func bandwidth() throws {
        let capped = try scenario("100 kbps")
        #expect(
            outcome("", "audioOnly", uplink: 110_000).bandwidthErrors(capped).map {
                $0.map { ($0 * 100).rounded() }
            }
                == [10, nil])
        let page = PreCallPage(outcomes: [outcome("100 kbps", "audioOnly", uplink: 110_000)]).text
        #expect(page.contains("1 of 2 measurements, of which 1 could not be made"))
        #expect(page.contains("| clean | not run |"))
    }
}
