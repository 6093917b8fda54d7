// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import CallRecording
import Foundation

/// How right the analysis of a labelled call is.
public struct LabelledScore: Sendable {
    /// How many of how many moments are right.
    public struct Share: Sendable, Equatable {
        /// Those that are right.
        public var right = 0
        /// All of them.
        public var all = 0

        mutating func note(_ isRight: Bool) {
            all += 1
            if isRight { right += 1 }
        }

        /// `0...1`; 1 where there was nothing to be right about.
        public var fraction: Double { all == 0 ? 1 : Double(right) / Double(all) }
    }

    /// Moments in which something is wrong: the cause.
    public private(set) var cause = Share()
    /// The side, where the truth has one and the cause is right.
    public private(set) var side = Share()
    /// The severity, where the truth bounds it and the cause is right.
    public private(set) var severity = Share()
    /// Moments in which nothing is wrong.
    public private(set) var clean = Share()
    /// What was said wrongly, with the number of moments.
    public private(set) var mistakes: [String: Int] = [:]
    /// What was said when, in order of the views: the end, the second, and the diagnosis.
    public private(set) var moments: [String] = []

    /// Seconds after its beginning in which a problem need not be diagnosed yet, beside a report's interval.
    static let detection = 6.0
    /// Seconds after its end in which it may still be diagnosed.
    static let clearing = 8.0
    /// Seconds after the first report in which nothing need be known.
    static let start = 10.0

    /// Whether the call is judged rightly as a whole.
    public var isRight: Bool {
        cause.fraction >= 0.9 && side.fraction >= 0.9 && severity.fraction >= 0.9 && clean.fraction >= 0.95
    }

    /// Judges a call's recording and holds it against the truth.
    public init(_ call: LabelledCall, in folder: URL) throws {
        let timeline = try CallAnalysis.analyze(files: [folder.appending(path: "\(call.name).jsonl")])
        let begin = timeline.views.compactMap { $0.observations.first?.time }.min() ?? 0
        let clock = try Self.clock(of: call, in: folder)
        let tracked = Set(timeline.views.filter { $0.id.track != nil }.map(\.id.role))
        for view in timeline.views {
            for observation in view.observations {
                let key = Line(pc: view.id.peerConnection, time: observation.time)
                let time = clock[key] ?? (observation.time - begin) / 1000
                moments.append(
                    "\(view.id.role.rawValue) \(view.id.track?.mid ?? "-") \(Int(time.rounded())) s: "
                        + Self.words(observation.diagnosis))
                note(
                    observation.diagnosis, view.id, at: time, call,
                    hasTracks: tracked.contains(view.id.role))
            }
        }
        for truth in call.expect where !timeline.views.contains(where: { Self.shows($0.id, truth) }) {
            cause.note(false)
            mistakes["no view of the \(truth.role.rawValue)'s \(truth.track ?? "connection")", default: 0] +=
                1
        }
    }

    /// What a line of a recording is known by.
    private struct Line: Hashable, Decodable {
        var pc: String
        var time: Double
    }

    /// The true seconds of lines, where their own times are not true.
    private static func clock(of call: LabelledCall, in folder: URL) throws -> [Line: Double] {
        guard let elapsed = call.elapsed else { return [:] }
        let text = try String(contentsOf: folder.appending(path: "\(call.name).jsonl"), encoding: .utf8)
        let lines = try text.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        return Dictionary(zip(lines, elapsed), uniquingKeysWith: { first, _ in first })
    }

    private static func shows(_ view: CallView.ID, _ truth: LabelledCall.Truth) -> Bool {
        guard view.role == truth.role else { return false }
        guard let track = truth.track else { return view.track == nil }
        return view.track.map { names($0, track) } ?? true
    }

    private static func names(_ track: MediaTrack, _ name: String) -> Bool {
        track.mid == name || track.trackIdentifier == name
    }

    private mutating func note(
        _ diagnosis: Diagnosis, _ view: CallView.ID, at time: Double, _ call: LabelledCall, hasTracks: Bool
    ) {
        // Where each kind has one track, the view of both names it in its diagnosis.
        let own = call.expect.filter {
            Self.shows(view, $0) && !(hasTracks && view.track == nil && $0.track != nil)
        }
        let margin = call.interval
        if let truth = own.first(where: { $0.from <= time && time < $0.to }) {
            guard !truth.cause.isEmpty, time >= truth.from + Self.detection + margin else { return }
            judge(diagnosis, view, truth)
            return
        }
        // What a track has may be said of its connection, and the other way about.
        let others = call.expect.filter { $0.role == view.role }
        let all = own + others
        guard time >= Self.start,
            !all.contains(where: { $0.from <= time && time < $0.to + Self.clearing + margin })
        else { return }
        let isRight = !diagnosis.cause.isProblem
        clean.note(isRight)
        if !isRight { count("clean", diagnosis) }
    }

    private mutating func judge(_ diagnosis: Diagnosis, _ view: CallView.ID, _ truth: LabelledCall.Truth) {
        let named = view.track ?? diagnosis.track
        let isTrackNamed = truth.track.map { name in named.map { Self.names($0, name) } ?? false } ?? true
        let isNamed = truth.cause.contains(diagnosis.cause) && (isTrackNamed || !diagnosis.cause.isProblem)
        cause.note(isNamed)
        guard isNamed else {
            count(truth.cause.map(\.rawValue).joined(separator: "|"), diagnosis)
            return
        }
        guard diagnosis.cause.isProblem else { return }
        if let sides = truth.side {
            let isRight = sides.contains(diagnosis.side?.name ?? "")
            side.note(isRight)
            if !isRight { count("side " + sides.joined(separator: "|"), diagnosis) }
        }
        let (low, high) = (Self.severity(truth.atLeast) ?? 1, Self.severity(truth.atMost) ?? 4)
        if truth.atLeast != nil || truth.atMost != nil {
            let isRight = (low...max(low, high)).contains(diagnosis.severity?.rawValue ?? 0)
            severity.note(isRight)
            if !isRight { count("severity \(truth.atLeast ?? "")...\(truth.atMost ?? "")", diagnosis) }
        }
    }

    private static func severity(_ name: String?) -> Int? {
        Diagnosis.Severity.allCases.first { "\($0)" == name }?.rawValue
    }

    private mutating func count(_ truth: String, _ diagnosis: Diagnosis) {
        mistakes["\(truth): \(Self.words(diagnosis))", default: 0] += 1
    }

    private static func words(_ diagnosis: Diagnosis) -> String {
        [
            diagnosis.cause.rawValue, diagnosis.direction?.rawValue, diagnosis.side?.name,
            diagnosis.severity.map { "\($0)" },
        ].compactMap(\.self).joined(separator: " ")
    }
}
