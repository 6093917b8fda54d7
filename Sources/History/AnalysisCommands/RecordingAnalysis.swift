// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation

/// Judges recordings of a call and shows what comes out.
package struct RecordingAnalysis {
    package enum Outcome: Equatable {
        case complete
        /// Parts of the recordings could not be read.
        case partial
    }

    let files: [URL]
    let format: OutputFormat
    let quality: QualityConfiguration

    package init(files: [URL], format: OutputFormat, quality: QualityConfiguration) {
        self.files = files
        self.format = format
        self.quality = quality
    }

    /// Analyses; in JSON, events are shown as they are found.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read, and if there is nothing to judge.
    package func run(_ sink: TextSink) throws -> Outcome {
        let timeline: CallTimeline
        do {
            timeline = try CallAnalysis.analyze(
                files: files, configuration: quality, keepsObservations: false
            ) { event in
                if format == .json { sink(JSONText.line(event) + "\n") }
            }
        } catch {
            throw CommandFailure(error.message)
        }
        switch format {
        case .json: sink(JSONText.line(timeline.summary) + "\n")
        case .text: sink(timeline.text() + "\n")
        }
        guard timeline.from != nil || !timeline.findings.isEmpty else {
            throw CommandFailure(
                "There is nothing to judge: no report contains audio or video, and no event a reason.")
        }
        let isPartial = timeline.recordings.contains { !$0.issues.isEmpty || $0.omittedIssues > 0 }
        return isPartial ? .partial : .complete
    }
}
