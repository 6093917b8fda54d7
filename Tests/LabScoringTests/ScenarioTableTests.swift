// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LabScoring
import Testing

@Suite("The table of scenarios")
struct ScenarioTableTests {
    @Test("names every scenario once")
    func names() {
        let names = ScenarioTable.all.map(\.name)
        #expect(Set(names).count == names.count)
        for name in names { #expect(ScenarioTable.scenario(name) != nil) }
    }

    @Test("keeps tuning seeds apart from those that count")
    func seeds() {
        #expect(Set(ScenarioTable.tuningSeeds).isDisjoint(with: ScenarioTable.scoredSeeds))
        #expect(ScenarioTable.tuningSeeds.count == 3)
        #expect(ScenarioTable.scoredSeeds.count == 3)
    }

    @Test("leaves settled seconds in every span, and has its steps in order", arguments: ScenarioTable.all)
    func spans(_ scenario: Scenario) {
        #expect(scenario.spans.first?.start == 0)
        for (index, span) in scenario.spans.enumerated() {
            let length = scenario.end(ofSpan: index) - span.start
            for party in Scenario.Party.allCases { #expect(length - span[party].settling >= 1) }
        }
        #expect(scenario.steps.map(\.time) == scenario.steps.map(\.time).sorted())
        #expect(scenario.steps.allSatisfy { $0.time < scenario.duration })
    }

    @Test("has clean calls without any fault, and names the faults of the others")
    func clean() {
        for scenario in ScenarioTable.all where scenario.name.hasPrefix("clean") { #expect(scenario.isClean) }
        for scenario in ScenarioTable.all where scenario.name.hasPrefix("loss") {
            #expect(scenario.spans.contains { $0.bob.isFault })
        }
    }
}

@Suite("The page of results")
struct ResultsPageTests {
    @Test("says which scenarios were not measured, and gives no figures for them")
    func unmeasured() {
        let text = ResultsPage(scores: ["clean-speech": Score()]).text
        #expect(text.contains("- loss-5-up\n"))
        #expect(!text.contains("- clean-speech\n"))
        #expect(text.contains("| clean-speech |"))
        #expect(!text.contains("| loss-5-up |"))
    }

    @Test("gives shares of settled seconds")
    func shares() {
        var score = Score()
        score.bob.settledSeconds = 8
        score.bob.causeRight = 6
        var page = ResultsPage(scores: ["clean-speech": score])
        (page.reports, page.differences) = (60, 3)
        let text = page.text
        #expect(text.contains("Of 60 reports 3 are judged otherwise now"))
        #expect(text.contains("| cause right | ≥ 95 % | 75.0 % | – | 75.0 % |  | **missed** |"))
    }
}
