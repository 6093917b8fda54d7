// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// The programs that were built with the tests.
package enum BuiltProducts {
    /// The `sightline` command line tool.
    package static var sightline: URL { directory.appending(path: "sightline") }

    /// The `sightline-analyze` program.
    package static var sightlineAnalyze: URL { directory.appending(path: "sightline-analyze") }

    /// Where the test bundle and the programs are.
    private static var directory: URL {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    }
}
