// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import LabScoring

/// Real calls under emulated networks, judged by the product and scored against the schedule.
@main
struct Lab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline-lab",
        abstract: "Runs real calls under emulated networks and scores what the product said of them.",
        subcommands: [
            Run.self, Rejudge.self, Show.self, Keep.self, PreCall.self, LineCommands.self, Access.self,
            AppLab.self, Labelled.self, Reference.self,
        ],
        defaultSubcommand: Run.self
    )
}

/// Which seeds a call is run with.
enum Seeds: String, ExpressibleByArgument, CaseIterable {
    /// To look at while rules are changed.
    case tuning
    /// Those whose figures count.
    case scored

    var values: [UInt64] { self == .tuning ? ScenarioTable.tuningSeeds : ScenarioTable.scoredSeeds }
}
