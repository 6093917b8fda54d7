// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Lines of rtcstats: calls of the API and events as they came, among them reports as differences or whole.
///
/// From version 3 of the file on, as Chromium saves it, a line's time is what has passed since the line before.
struct RTCStatsFormat: LineFormat {
    /// What stands alone on the first line from version 3 on.
    static let fileMark = Array("RTCStatsDump".utf8)
    /// From this version of the client's protocol on, an id that a difference does not name is gone.
    private static let protocolThatNamesAll = 3.0
    /// The compressed name of a report.
    private static let shortReport = "g"

    private let isMarked: Bool
    /// The last line's time in a marked file, in Unix ms.
    private var clock = 0.0
    private var namesAll = false
    private var states: [String: RTCStatsState] = [:]

    /// - Parameter isMarked: Whether the file began with ``fileMark``.
    init(isMarked: Bool = false) {
        self.isMarked = isMarked
    }

    mutating func reports(of value: StatsValue, _ context: inout LineContext) -> [RecordedReport] {
        if isMarked, value["fileFormat"] != nil { return [] }
        guard case .array(let parts) = value, parts.count >= 3 else {
            context.note(.unexpectedForm, "The line is no list of a method, a peer connection and a value.")
            return []
        }
        if isMarked { clock += parts[parts.count - 1].number ?? 0 }
        guard let method = parts[0].text, !(isMarked && method == Self.shortReport) else {
            context.hasCompressedNames = true
            context.note(.unexpectedForm, "The line's method has a compressed name.")
            return []
        }
        let id = parts[1].text
        switch method {
        case "connectionInfo":
            note(clientProtocol: parts[2])
        case "create", "close":
            if let id { states[id] = nil }
        case "getstats", "getStats":
            guard let id else { break }
            return report(of: id, parts, &context).map { [$0] } ?? []
        default:
            break
        }
        return []
    }

    private mutating func note(clientProtocol info: StatsValue) {
        guard let text = info["clientProtocol"]?.text else { return }
        let version = Double(text.prefix { $0.isNumber || $0 == "." })
        namesAll = version.map { $0 >= Self.protocolThatNamesAll } ?? namesAll
    }

    private mutating func report(
        of id: String, _ parts: [StatsValue], _ context: inout LineContext
    ) -> RecordedReport? {
        guard case .object(let delta) = parts[2] else {
            context.note(.unexpectedForm, "The difference of a report is no object.")
            return nil
        }
        guard context.admit(id) else { return nil }
        var state = states.removeValue(forKey: id) ?? RTCStatsState()
        let isWhole = namesAll || (isMarked && delta.allSatisfy { $0.value["type"] != nil })
        let fits = state.apply(delta, namesAll: isWhole, limit: context.limits.entries)
        let value = state.value
        states[id] = state
        if !fits {
            context.note(.limitExceeded, "The report has more than \(context.limits.entries) entries.")
        }
        let last = parts.count > 3 ? parts[parts.count - 1] : nil
        let said = isMarked ? .double(clock) : last
        guard let (report, time) = context.report(from: value, time: said) else { return nil }
        return RecordedReport(time: time, peerConnection: id, report: report)
    }
}

/// A peer connection's report as it stands after the differences so far.
struct RTCStatsState: Sendable {
    private var entries: [String: [String: StatsValue]] = [:]

    /// The report, an entry per id.
    var value: StatsValue {
        .object(
            entries.sorted { $0.key < $1.key }.map { id, members in
                let members = members.sorted { $0.key < $1.key }
                return StatsMember(
                    name: id, value: .object(members.map { StatsMember(name: $0.key, value: $0.value) }))
            })
    }

    /// Makes the next difference part of the report.
    ///
    /// A time of zero stands for the newest time of the difference, which is beside the entries.
    ///
    /// - Returns: Whether everything found room.
    mutating func apply(_ delta: [StatsMember], namesAll: Bool, limit: Int) -> Bool {
        let time = delta["timestamp"]
        if namesAll {
            let named = Set(delta.lazy.map(\.name))
            entries = entries.filter { named.contains($0.key) }
        }
        var fits = true
        for change in delta {
            guard case .object(let members) = change.value else {
                if change.value == .null { entries[change.name] = nil }
                continue
            }
            guard entries.count < limit || entries[change.name] != nil else {
                fits = false
                continue
            }
            merge(members, into: change.name)
        }
        if let time, case .some = time.number { stamp(delta, time) }
        return fits
    }

    private mutating func merge(_ members: [StatsMember], into id: String) {
        // Chromium adds what it has computed for its own page, in brackets.
        for member in members where !member.name.hasPrefix("[") {
            entries[id, default: [:]][member.name] = member.value
        }
    }

    private mutating func stamp(_ delta: [StatsMember], _ time: StatsValue) {
        for change in delta where entries[change.name] != nil {
            let own = change.value["timestamp"]?.number ?? 0
            if own == 0 { entries[change.name]?["timestamp"] = time }
        }
    }
}
