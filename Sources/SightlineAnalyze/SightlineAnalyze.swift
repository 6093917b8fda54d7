// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser

/// What a support desk needs of `sightline`: to read what people send in, without an engine and a server.
@main
struct SightlineAnalyze: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline-analyze",
        abstract: "Says how good a recorded call was, why it was bad and whose network was to blame.",
        discussion: """
            The commands 'analyze', 'report' and 'quality-config' of 'sightline', in a program that needs nothing else. \
            'sightline-analyze FILE...' analyzes.

            Exit codes: 0 done, 1 failed, 2 finished with parts of the input unread, 64 wrong usage.
            """,
        version: ProgramVersion.line,
        subcommands: [Analyze.self, Report.self, QualityConfig.self], defaultSubcommand: Analyze.self)
}
