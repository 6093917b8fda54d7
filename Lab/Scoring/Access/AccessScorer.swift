// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LineEmulation

/// Scores what one participant of a call was given against what the lines did, second by second.
///
/// The time that the product takes to notice something counts as wrong.
package struct AccessScorer: Sendable {
    /// Seconds from the start of the programs to the first that counts, whatever they have done by then.
    package static let warmUp = 12
    /// Seconds beyond the interval of the reports for which a diagnosis counts when no newer one comes; then there is none.
    package static let slack = 1.5
    /// A fault that comes again within this many seconds is the same.
    package static let merging = 3
    /// Seconds that have to be left for what was named to be cleared, which is what that may take.
    ///
    /// With less, only what is cleared early would count, or what is not cleared would be called late too soon.
    package static let clearing = 8

    private let call: AccessCall
    private let truth: AccessTruth
    private let end: AccessCall.End
    private let said: [AccessCall.Said]
    private let answers: [AccessTruth.Answer]

    package init(_ call: AccessCall, _ truth: AccessTruth, end: AccessCall.End) {
        self.call = call
        self.truth = truth
        self.end = end
        said = call.said.filter { $0.end == end }.sorted { $0.time < $1.time }
        answers = truth.faults.indices.map { truth.answer($0, to: end) }
    }

    /// What is asked of the participant.
    private var role: StreamRole { end.role }

    package var score: AccessScore {
        var score = AccessScore()
        score.calls = 1
        var last = Diagnosis.Cause.unknown
        for second in answers.indices.dropFirst(Self.warmUp) {
            let diagnosis = said(in: second)
            judge(second, diagnosis, &score)
            countAlarm(second, diagnosis.cause, after: last, &score)
            last = diagnosis.cause
        }
        time(&score)
        return score
    }

    private func countAlarm(
        _ second: Int, _ cause: Diagnosis.Cause, after last: Diagnosis.Cause, _ score: inout AccessScore
    ) {
        let answer = answers[second], begins = isAlarm(cause) && cause != last
        if answer.isWell {
            score.wellSeconds += 1
            if begins { score.falseAlarms += 1 }
        } else if !answer.isFault, begins {
            score.borderlineAlarms += 1
        }
    }

    /// The seconds that count, each with what is right in it, what was said, and what the participant's line did to
    /// the media: for people who look for the reason of a mistake.
    package var listing: String {
        answers.indices.dropFirst(Self.warmUp).map { second in
            let diagnosis = said(in: second)
            let lines = call.setup.kind.ends.compactMap { end in
                call.lines.first {
                    $0.end == end && $0.line.second == second
                        && $0.direction == (end == .publisher ? .uplink : .downlink)
                }?.line
            }
            let isRight = isRight(diagnosis.cause, second)
            let place = role == .subscriber ? diagnosis.side.map { "\($0)" } : diagnosis.direction?.rawValue
            return [
                isRight ? " " : "!", "\(second)", words(answers[second]), places(answers[second]), "said",
                diagnosis.cause.rawValue, place ?? "-", diagnosis.severity.map { "\($0)" } ?? "-",
                diagnosis.confidence.map { "\($0)" } ?? "-",
            ].joined(separator: " ") + " |" + lines.map(Self.words).joined(separator: " |")
        }.joined(separator: "\n")
    }

    private static func words(_ line: LineSecond) -> String {
        " offered \(Int(line.offeredRate)) of \(line.capacity.map { "\(Int($0))" } ?? "-"), other "
            + "\(Int(line.otherRate)), lost \(line.udp.lost)+\(line.udp.queueFull), queue \(Int(line.queue.mean)), "
            + "spread \(Int(line.spread)), gap \(Int(line.gap))"
    }

    /// What holds at the end of a second.
    private func said(in second: Int) -> Diagnosis {
        let end = Double(second + 1), validity = Double(call.setup.kind.interval) + Self.slack
        return said.last { $0.time <= end && $0.time > end - validity }?.diagnosis ?? Diagnosis()
    }

    private func isAlarm(_ cause: Diagnosis.Cause) -> Bool {
        !isQuiet(cause) && cause != .unknown
    }

    private func isQuiet(_ cause: Diagnosis.Cause) -> Bool { [.none, .recovering].contains(cause) }

    private func judge(_ second: Int, _ diagnosis: Diagnosis, _ score: inout AccessScore) {
        let answer = answers[second]
        let isRight = isRight(diagnosis.cause, second), isPlaceRight = isSideRight(diagnosis, answer)
        note(isRight, isPlaceRight, second, &score.product)
        note(
            answer.causes.contains(.none), isSideRight(Diagnosis(cause: .none, side: nil), answer), second,
            &score.silent)
        score.unknown.add(diagnosis.cause == .unknown)
        guard isRight else {
            let mistake = AccessScore.Mistake(truth: words(answer), said: diagnosis.cause.rawValue)
            score.mistakes[mistake, default: 0] += 1
            return
        }
        if answer.clearCauses > 1 { score.severalRight += 1 }
        if !answer.isFault, !answer.isWell { score.borderlineRight += 1 }
        if diagnosis.cause == .recovering { score.recoveringRight += 1 }
        guard !isPlaceRight else { return }
        let place = role == .subscriber ? diagnosis.side.map { "\($0)" } : diagnosis.direction?.rawValue
        let mistake = AccessScore.Mistake(truth: places(answer), said: place ?? "nothing")
        score.sideMistakes[mistake, default: 0] += 1
    }

    private func note(
        _ isRight: Bool, _ isSideRight: Bool, _ second: Int, _ figures: inout AccessScore.Figures
    ) {
        let isFault = answers[second].isFault, isSettled = isSettled(second)
        figures.cause.add(isRight)
        figures.side.add(isSideRight)
        if isFault { figures.faultCause.add(isRight) }
        if isFault { figures.faultSide.add(isSideRight) }
        guard isSettled else { return }
        figures.settledCause.add(isRight)
        figures.settledSide.add(isSideRight)
        if isFault { figures.settledFaultCause.add(isRight) }
        if isFault { figures.settledFaultSide.add(isSideRight) }
    }

    private func isRight(_ cause: Diagnosis.Cause, _ second: Int) -> Bool {
        if cause == .recovering { return answers[second].causes.contains(.none) && wasFaulty(before: second) }
        return answers[second].causes.contains(cause)
    }

    private func wasFaulty(before second: Int) -> Bool {
        answers[max(0, second - AccessTruth.recovery)..<second].contains(where: \.isFault)
    }

    /// At a subscriber the side, at a publisher the direction.
    private func isSideRight(_ diagnosis: Diagnosis, _ answer: AccessTruth.Answer) -> Bool {
        let isQuiet = isQuiet(diagnosis.cause)
        switch role {
        case .subscriber:
            // While it recovers, the side that does so may be said.
            if isQuiet, !answer.isFault { return true }
            return diagnosis.side.map(answer.sides.contains) ?? false
        case .publisher:
            if isQuiet { return !answer.isFault }
            return diagnosis.direction.map(answer.directions.contains) ?? false
        }
    }

    /// Whether the truth has been as it is for as long as the older lab waits.
    private func isSettled(_ second: Int) -> Bool {
        let answer = answers[second]
        let isBandwidth = answer.causes.contains(.bandwidth)
        let wait = Int(isBandwidth ? Settling.bandwidth : Settling.usual)
        let before = answers[max(0, second - wait)..<second]
        return before.allSatisfy { $0.causes == answer.causes && isSamePlace($0, answer) }
    }

    /// Whether the same places are right, of those that the participant is asked about.
    private func isSamePlace(_ one: AccessTruth.Answer, _ other: AccessTruth.Answer) -> Bool {
        role == .subscriber ? one.sides == other.sides : one.directions == other.directions
    }

    private func words(_ answer: AccessTruth.Answer) -> String {
        answer.causes.map(\.rawValue).sorted().joined(separator: "/")
    }

    private func places(_ answer: AccessTruth.Answer) -> String {
        let names =
            role == .subscriber ? answer.sides.map { "\($0)" } : answer.directions.map(\.rawValue)
        return names.isEmpty ? "nothing" : names.sorted().joined(separator: "/")
    }
}

extension AccessScorer {
    /// Seconds from first to last of each fault, without what began before anything counts.
    private var faults: [ClosedRange<Int>] {
        var found: [ClosedRange<Int>] = []
        for second in answers.indices where answers[second].isFault {
            if let last = found.last, second - last.upperBound <= Self.merging {
                found[found.count - 1] = last.lowerBound...second
            } else {
                found.append(second...second)
            }
        }
        return found.filter { $0.lowerBound >= Self.warmUp }
    }

    private func time(_ score: inout AccessScore) {
        let faults = faults
        for (index, fault) in faults.enumerated() {
            let next = index + 1 < faults.count ? faults[index + 1].lowerBound : answers.count
            let found = said.first {
                let second = Int($0.time.rounded(.down))
                return fault.contains(second) && answers[second].isFault
                    && answers[second].causes.contains($0.diagnosis.cause)
            }
            score.detections.append(found.map { $0.time - Double(fault.lowerBound) })
            guard found != nil else { continue }
            if let start = refutation(after: fault, before: next), next - start >= Self.clearing {
                score.clears.append(clear(from: start, before: next))
            } else {
                score.unseenClears += 1
            }
        }
    }

    /// The first second after a fault that does not allow what was named last; `nil` if none comes before the next fault.
    private func refutation(after fault: ClosedRange<Int>, before next: Int) -> Int? {
        (fault.upperBound + 1..<next).first { second in
            let named = said.last { $0.time < Double(second) && isAlarm($0.diagnosis.cause) }
            return named.map { !answers[second].causes.contains($0.diagnosis.cause) } ?? true
        }
    }

    /// Seconds until none or recovering, 0 if that holds already; `nil` if it does not come before the next fault.
    private func clear(from second: Int, before next: Int) -> Double? {
        let start = Double(second), end = Double(next)
        if let held = said.last(where: { $0.time < start }), isQuiet(held.diagnosis.cause) { return 0 }
        let cleared = said.first { $0.time >= start && $0.time < end && isQuiet($0.diagnosis.cause) }
        return cleared.map { $0.time - start }
    }
}
