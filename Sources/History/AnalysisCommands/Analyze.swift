// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallRecording
import Foundation

package struct Analyze: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Analyzes a recorded call: how good it was, why it was bad and whose network was to blame.",
        discussion: """
            Takes recordings of --record, dumps of chrome://webrtc-internals, of about:webrtc and of rtcstats, and lines \
            of getStats() reports, all of them also packed with gzip. Several files are taken as recordings of one call: together, those of a publisher and a \
            subscriber tell whose side it was.

            Beside the timeline it lists findings about the whole call, each with what to do, and a score of 0 to 100. Of \
            a dump with the calls and events of the WebRTC API it says why a connection never came to be.

            Exit codes: 0 judged, whatever the judgement; 1 a file cannot be read, or there is nothing to judge; \
            2 judged, but parts of the files could not be read; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The recordings.", valueName: "file"))
    var files: [String]

    @Option(
        help:
            "text: a timeline, findings, a score; json: one event per line, then a summary with the facts as well."
    )
    var format: OutputFormat = .text

    @OptionGroup var quality: QualityOptions

    package init() {}

    package func run() throws {
        let analysis = RecordingAnalysis(
            files: files.map { URL(filePath: $0) }, format: format, quality: try quality.configuration())
        let outcome = try analysis.run { print($0, terminator: "") }
        if outcome == .partial { throw Self.partialResult }
    }

    /// Finished, but with less than was asked for.
    package static let partialResult = ExitCode(2)
}
