// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import CallQuality
import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Shows a call's events as they come, and its summary at the end.
struct CallOutput: Sendable {
    let options: OutputOptions
    let interruption: Interruption

    /// Shows until the bus is finished; returns the totals.
    func show(_ bus: EventBus) async -> SummaryBuilder {
        var builder = SummaryBuilder()
        var writer = makeWriter()
        for await event in bus.events {
            builder.handle(event)
            writer.write(event)
        }
        writer.finish()
        return builder
    }

    /// Shows the end of a call.
    func show(_ summary: CallSummary) {
        var writer = makeWriter()
        writer.write(CallEvent(time: EventBus.now(), kind: .summary(summary)))
        writer.finish()
    }

    private func makeWriter() -> any EventWriter {
        let sink: TextSink = { [interruption] text in Self.print(text, interruption) }
        let terminal = Terminal.standardOutput()
        switch options.format {
        case .json: return JSONLinesWriter(sink: sink)
        case .text where terminal.isInteractive: return TableWriter(terminal: terminal, sink: sink)
        case .text: return LineWriter(sink: sink)
        }
    }

    /// Writes at once.
    ///
    /// Without a reader there is no use in continuing.
    private static func print(_ text: String, _ interruption: Interruption) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return interruption.request() }
            bytes = bytes.dropFirst(count)
        }
    }
}
