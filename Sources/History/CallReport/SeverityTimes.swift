// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// How long a problem was how bad.
///
/// What several views show of a moment counts once, as bad as the worst of them.
struct SeverityTimes: Sendable {
    /// The time of a report that shows it.
    struct Piece: Sendable {
        /// Unix ms.
        var from: Double
        var to: Double
        /// What has none is the least.
        var severity: Diagnosis.Severity?
    }

    /// ms, the worst first.
    private let lengths: [(severity: Diagnosis.Severity, length: Double)]

    init(_ pieces: [Piece] = []) {
        var changes: [(time: Double, severity: Diagnosis.Severity, step: Int)] = []
        for piece in pieces where piece.to > piece.from {
            let severity = piece.severity ?? .noticeable
            changes.append((piece.from, severity, 1))
            changes.append((piece.to, severity, -1))
        }
        changes.sort { $0.time < $1.time }
        var shown: [Diagnosis.Severity: Int] = [:]
        var sums: [Diagnosis.Severity: Double] = [:]
        for (change, next) in zip(changes, changes.dropFirst()) {
            shown[change.severity, default: 0] += change.step
            guard next.time > change.time, let worst = Self.worst(shown) else { continue }
            sums[worst, default: 0] += next.time - change.time
        }
        lengths = Diagnosis.Severity.allCases.reversed().compactMap { severity in
            sums[severity].map { (severity: severity, length: $0) }
        }
    }

    /// ms in all.
    var length: Double { lengths.reduce(0) { $0 + $1.length } }

    /// What orders problems: how long they were, each moment weighted by how bad it was.
    var weight: Double { lengths.reduce(0) { $0 + $1.length * Double($1.severity.rawValue) } }

    /// As bad as it was for half of the time at least; `nil` if it never was.
    var usual: Diagnosis.Severity? {
        var sum = 0.0
        for (severity, length) in lengths {
            sum += length
            if sum * 2 >= self.length { return severity }
        }
        return nil
    }

    /// How bad it was at its worst, and for how long, in ms; `nil` if that is what it usually was.
    var peak: (severity: Diagnosis.Severity, length: Double)? {
        guard let worst = lengths.first, let usual, worst.severity > usual else { return nil }
        return worst
    }

    private static func worst(_ shown: [Diagnosis.Severity: Int]) -> Diagnosis.Severity? {
        Diagnosis.Severity.allCases.last { shown[$0] ?? 0 > 0 }
    }
}

extension CallView {
    /// When anything was wrong, with the reports of that time, each for as long as it stands.
    var problems: [(interval: DiagnosisInterval, pieces: [SeverityTimes.Piece])] {
        var result: [(interval: DiagnosisInterval, pieces: [SeverityTimes.Piece])] = []
        var rest = observations[...]
        for interval in intervals where interval.isAlarm {
            rest = rest.drop { $0.time < interval.from }
            result.append((interval, Self.pieces(of: interval, rest.prefix { $0.time < interval.to })))
        }
        return result
    }

    /// What reports in the time of an interval say of it; without any, what it says of all of its time.
    private static func pieces(
        of interval: DiagnosisInterval, _ reports: ArraySlice<CallObservation>
    ) -> [SeverityTimes.Piece] {
        // A report stands for the time up to the next one, the last one for a second.
        let end = max(interval.from + 1000, interval.to)
        var pieces: [SeverityTimes.Piece] = []
        for report in reports {
            let diagnosis = report.diagnosis
            guard diagnosis.cause == interval.cause else { continue }
            let begin = pieces.isEmpty ? interval.from : report.time
            if !pieces.isEmpty { pieces[pieces.count - 1].to = begin }
            pieces.append(SeverityTimes.Piece(from: begin, to: end, severity: diagnosis.severity))
        }
        guard pieces.isEmpty else { return pieces }
        return [SeverityTimes.Piece(from: interval.from, to: end, severity: interval.severity)]
    }
}
