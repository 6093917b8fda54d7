// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import CallQuality
import Foundation

/// Shows events in one form.
///
/// Used from one task at a time.
protocol EventWriter {
    /// Shows an event.
    mutating func write(_ event: CallEvent)
    /// Leaves the output in order; the last call.
    mutating func finish()
}

/// One JSON object per line.
struct JSONLinesWriter: EventWriter {
    let sink: TextSink

    mutating func write(_ event: CallEvent) {
        sink(JSONText.line(event) + "\n")
    }

    mutating func finish() {}
}

/// One line per participant and tick, and one per step of the session's life: for pipes and logs.
struct LineWriter: EventWriter {
    let sink: TextSink
    private var figures: [String: ParticipantFigures] = [:]
    private var start: Double?

    init(sink: @escaping TextSink) { self.sink = sink }

    mutating func write(_ event: CallEvent) {
        let start = self.start ?? event.time
        self.start = start
        let seconds = String(format: "%6.1f s  ", max(0, event.time - start) / 1000)
        if let text = event.text {
            let parts = [event.participant ?? "", event.type, text].filter { !$0.isEmpty }
            return sink(seconds + parts.joined(separator: "  ") + "\n")
        }
        switch event.kind {
        case .summary(let summary):
            sink(SummaryText.lines(summary).joined(separator: "\n") + "\n")
        default:
            guard let current = update(event) else { return }
            sink(seconds + Self.line(current) + "\n")
        }
    }

    mutating func finish() {}

    /// The figures of the event's participant once the last event of the tick is in.
    private mutating func update(_ event: CallEvent) -> ParticipantFigures? {
        guard let participant = event.participant, let role = event.role else { return nil }
        let key = "\(participant) \(role.rawValue) \(event.stream ?? "")"
        var current = figures[key] ?? ParticipantFigures(participant: participant, role: role)
        current.handle(event)
        figures[key] = current
        switch event.kind {
        case .publisherMediaLink, .subscriberMediaLink: return current
        default: return nil
        }
    }

    private static func line(_ figures: ParticipantFigures) -> String {
        let layers = figures.layers.map { " [\($0)]" } ?? ""
        let words = [figures.signal, figures.problem].compactMap { $0 }.joined(separator: "  ")
        let judgement = words.isEmpty ? "" : " | \(words)"
        return
            "\(figures.title): video \(figures.video)\(layers) | audio \(figures.audio) | link \(figures.link)"
            + judgement
    }
}

/// A table that is drawn again in place: for people at a terminal.
struct TableWriter: EventWriter {
    let terminal: Terminal
    let sink: TextSink
    private var figures: [String: ParticipantFigures] = [:]
    private var order: [String] = []
    private var drawn = 0
    private var start: Double?

    init(terminal: Terminal, sink: @escaping TextSink) {
        self.terminal = terminal
        self.sink = sink
    }

    mutating func write(_ event: CallEvent) {
        start = start ?? event.time
        if let text = event.text {
            erase()
            let parts = [event.participant ?? "", event.type, text].filter { !$0.isEmpty }
            sink(terminal.coloured(parts.joined(separator: "  "), event.colour) + "\n")
            return draw(at: event.time)
        }
        switch event.kind {
        case .summary(let summary):
            erase()
            sink(SummaryText.lines(summary).joined(separator: "\n") + "\n")
            figures = [:]
            order = []
            return
        default:
            guard let participant = event.participant, let role = event.role else { return }
            let key = "\(participant) \(role.rawValue) \(event.stream ?? "")"
            // By name, publishers first: who happens to be heard first says nothing.
            if figures[key] == nil { order = (order + [key]).sorted() }
            var current = figures[key] ?? ParticipantFigures(participant: participant, role: role)
            current.handle(event)
            figures[key] = current
        }
        draw(at: event.time)
    }

    mutating func finish() { drawn = 0 }

    private mutating func erase() {
        if drawn > 0 { sink("\u{1B}[\(drawn)A\u{1B}[J") }
        drawn = 0
    }

    private mutating func draw(at time: Double) {
        erase()
        let lines = table(at: time)
        sink(lines.map { $0 + "\n" }.joined())
        drawn = lines.count
    }

    private func table(at time: Double) -> [String] {
        let seconds = Int(max(0, time - (start ?? time)) / 1000)
        var lines: [String] = []
        for current in order.compactMap({ figures[$0] }) {
            // Nine columns are the bars'.
            let bars = current.signal.map {
                "  " + terminal.coloured($0, JudgementText.colour(current.level))
            }
            lines.append(terminal.bold(cut("\(current.title)  \(seconds) s", leaving: 9)) + (bars ?? ""))
            lines.append(cut("  video  \(current.video)"))
            if let layers = current.layers { lines.append(cut("         \(layers)")) }
            lines.append(cut("  audio  \(current.audio)"))
            lines.append(cut("  link   \(current.link)"))
            if let problem = current.problem {
                lines.append(
                    terminal.coloured(cut("  call   \(problem)"), JudgementText.colour(current.diagnosis)))
            }
        }
        return lines
    }

    /// A line that wraps would make the next drawing land in the wrong place.
    private func cut(_ line: String, leaving room: Int = 0) -> String {
        let columns = terminal.columns - room
        return line.count < columns ? line : String(line.prefix(max(1, columns - 2))) + "…"
    }
}
