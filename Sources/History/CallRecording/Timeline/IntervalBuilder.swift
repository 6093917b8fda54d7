// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Merges the diagnoses of consecutive reports.
struct IntervalBuilder: Sendable {
    /// Nothing is known of a time without reports longer than this, in ms; reports come every 10 s at the
    /// most.
    static let longestGap = 15_000.0

    private var done: [DiagnosisInterval] = []
    private var open: DiagnosisInterval?

    /// All intervals so far, the open one included.
    var intervals: [DiagnosisInterval] { done + (open.map { [$0] } ?? []) }

    /// Takes the diagnosis of the next report; one that is not later than the last is omitted.
    mutating func add(_ diagnosis: Diagnosis, at time: Double) {
        let new = DiagnosisInterval(
            from: time, to: time, cause: diagnosis.cause, direction: IntervalDirection(diagnosis),
            side: diagnosis.side, severity: diagnosis.severity, track: diagnosis.track)
        guard var current = open else {
            open = new
            return
        }
        guard time > current.to else { return }
        if time - current.to > Self.longestGap {
            done.append(current)
            open = new
            return
        }
        current.to = time
        if current.continues(as: new) {
            current.track = current.track == new.track ? current.track : nil
            current.severity = [current.severity, new.severity].compactMap(\.self).max()
            if current.side == nil || current.side == .unknown { current.side = new.side ?? current.side }
            open = current
        } else {
            done.append(current)
            open = new
        }
    }
}

extension DiagnosisInterval {
    /// Whether a later diagnosis is the same; a side that is known later than the cause is not another one.
    fileprivate func continues(as next: DiagnosisInterval) -> Bool {
        guard cause == next.cause, direction == next.direction else { return false }
        let sides = [side, next.side].filter { $0 != nil && $0 != .unknown }
        return sides.count < 2 || side == next.side
    }
}
