// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser

/// Scores held against full reference: `make lab-reference` runs these and the tools of `Lab/Reference`.
struct Reference: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes calls whose received media are kept, and says how they are scored.",
        subcommands: [ReferenceRun.self, ReferenceJudge.self])
}
