// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import CallModel
import CallQuality
import Foundation
import Sightline

/// Shows a network test as it continues, and its report.
struct NetworkTestOutput: Sendable {
    let format: OutputFormat
    let terminal: Terminal

    private static let barWidth = 30

    func show(_ progress: NetworkTestProgress) {
        switch format {
        case .json: write(Self.json(progress))
        case .text:
            // A bar that cannot be drawn again would only be noise.
            guard terminal.isInteractive else { return }
            write("\r\u{1B}[K" + Self.bar(progress), terminator: "")
        }
    }

    func show(_ report: NetworkTestReport) {
        switch format {
        case .json: write(Self.json(report))
        case .text:
            if terminal.isInteractive { write("\r\u{1B}[K", terminator: "") }
            write(terminal.bold(report.sentence))
            write(NetworkTestTable(report: report).text, terminator: "")
        }
    }

    static func bar(_ progress: NetworkTestProgress) -> String {
        let fraction = min(max(0, progress.fraction), 1)
        let done = Int((fraction * Double(barWidth)).rounded())
        let bar = String(repeating: "█", count: done) + String(repeating: "░", count: barWidth - done)
        return "\(bar) \(NumberFormat.percent(fraction, decimals: 0))  \(progress.step.title)"
    }

    private struct ProgressLine: Encodable {
        let type = "networkTestDidProgress"
        let time: Double
        let step: NetworkTestStep
        let fraction: Double
        let completed: NetworkTestStepResult?
        let sample: NetworkTestSample?
    }

    private struct SummaryLine: Encodable {
        let type = "summary"
        let time: Double
        let sentence: String
        let exitCode: Int32
        let report: NetworkTestReport
    }

    static func json(_ progress: NetworkTestProgress, time: Double = now()) -> String {
        JSONText.line(
            ProgressLine(
                time: time, step: progress.step, fraction: progress.fraction, completed: progress.completed,
                sample: progress.sample))
    }

    static func json(_ report: NetworkTestReport, time: Double = now()) -> String {
        JSONText.line(
            SummaryLine(
                time: time, sentence: report.sentence,
                exitCode: NetworkTestCommand.exitCode(report)?.rawValue ?? 0, report: report))
    }

    static func now() -> Double { (Date().timeIntervalSince1970 * 1000).rounded() }

    private func write(_ text: String, terminator: String = "\n") {
        FileHandle.standardOutput.write(Data((text + terminator).utf8))
    }
}
