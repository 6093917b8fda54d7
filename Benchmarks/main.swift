// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import WebRTCStats

// CPU time, not the clock on the wall; each figure is the least of several rounds. Foundation's figures are of the same
// run, so that a slow machine slows both.
let directory = URL(
    filePath: CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "Tests/Fixtures/getstats")

do {
    let samples = try Samples(directory: directory)
    var rows = try parseRows(samples)
    rows += observationRows(samples)
    rows += nativeRows(samples)
    for row in rows { print(row.text) }
    if rows.contains(where: { !$0.isMet }) { exit(1) }
} catch {
    FileHandle.standardError.write(Data("sightline-bench: \(error)\n".utf8))
    exit(1)
}
