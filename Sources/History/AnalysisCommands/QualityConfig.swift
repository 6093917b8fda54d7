// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallQuality
import Foundation

package struct QualityConfig: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "quality-config",
        abstract: "Prints every setting of the judgement, as JSON to edit.",
        discussion: """
            An edited copy is what --quality-config takes. It may be cut down to what differs from the defaults.
            """)

    package init() {}

    package func run() throws { print(try JSONText.page(QualityConfiguration.extended)) }
}
