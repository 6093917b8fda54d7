// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallRecording
import CallReport
import Foundation

package struct Report: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract:
            "Writes a report page for a recorded call: what was wrong, when and on whose side, with charts.",
        discussion: """
            Takes what 'sightline analyze' takes, and judges it in the same way. The page is one file that loads nothing, \
            for the screen and for paper. Names and addresses are omitted unless --unredacted is given.

            Exit codes: 0 made, whatever the judgement; 1 a file cannot be read, or the page cannot be written; \
            2 made, but parts of the files could not be read; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The recordings of one call.", valueName: "file"))
    var files: [String]

    @Option(name: .shortAndLong, help: ArgumentHelp("The page.", valueName: "file"))
    var output: String

    @Flag(help: "Overwrites an existing file.")
    var force = false

    @Flag(help: "Shows the names of files, peer connections and streams, and addresses.")
    var unredacted = false

    @OptionGroup var quality: QualityOptions

    package init() {}

    package func run() throws {
        guard force || !FileManager.default.fileExists(atPath: output) else {
            throw CommandFailure("\(output) exists; --force overwrites it.")
        }
        let report: ReportPage
        do {
            report = try ReportPage(
                files: files.map { URL(filePath: $0) }, configuration: try quality.configuration(),
                showsNames: unredacted)
        } catch let error as RecordingError {
            throw CommandFailure(error.message)
        }
        do {
            try PrivateFile.write(Data(report.html.utf8), to: URL(filePath: output))
        } catch {
            throw CommandFailure("\(output) cannot be written: \(error.localizedDescription)")
        }
        print(Self.text(report.verdict))
        let isPartial = report.timeline.recordings.contains { !$0.issues.isEmpty || $0.omittedIssues > 0 }
        if isPartial { throw Analyze.partialResult }
    }

    /// What the terminal shows of the verdict, which quotes browsers' reasons.
    static func text(_ verdict: (finding: String, advice: String)) -> String {
        "\(verdict.finding.forTerminal)\n\(verdict.advice.forTerminal)"
    }
}
