// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Lines of rtcstats: calls of the API and events as they came, among them reports as differences or whole.
///
/// From version 3 of the file on, as today's clients and Chromium write it, a line's time is what has passed since the
/// line before, and names may be numbers (``RTCStatsNames``).
struct RTCStatsFormat: LineFormat {
    /// What stands alone on the first line from version 3 on.
    static let fileMark = Array("RTCStatsDump".utf8)
    /// From this version of the old client's protocol on, an id that a difference does not name is gone.
    private static let protocolThatNamesAll = 3.0
    /// A line's time from here on is one of the clock, and not what has passed, in ms: a client that connects again
    /// begins with one.
    private static let clockTime = 1e11
    /// What a byte of the recording accounts for: dumps of calls have ten bytes for each member of their
    /// reports, but differences of silent calls may have fewer bytes than members.
    private static let weightPerByte = 2

    private let isMarked: Bool
    /// The last line's time in a marked file, in Unix ms.
    private var clock = 0.0
    private var namesAll = false
    private var states: [String: RTCStatsState] = [:]
    /// What the states weigh together.
    private var openWeight = 0
    /// What all reports so far weighed, less what the bytes account for.
    private var madeWeight = 0
    /// Whether the reports weighed too much, and no more are made.
    private var isSpent = false

    /// - Parameter isMarked: Whether the file began with ``fileMark``.
    init(isMarked: Bool = false) {
        self.isMarked = isMarked
    }

    mutating func reports(
        ofLine bytes: [UInt8], _ context: inout LineContext
    ) throws(StatsParseError) -> [RecordedReport] {
        madeWeight -= Self.weightPerByte * bytes.count
        return reports(of: try StatsValue.parse(bytes, limits: context.limits.parseLimits), &context)
    }

    mutating func reports(of value: StatsValue, _ context: inout LineContext) -> [RecordedReport] {
        if isMarked, value["fileFormat"] != nil {
            notePage(value, &context)
            return []
        }
        guard case .array(let parts) = value, parts.count >= 3, let method = RTCStatsNames.method(parts[0])
        else {
            context.note(.unexpectedForm, "The line is no list of a method, a peer connection and a value.")
            return []
        }
        advance(parts)
        let id = parts[1].text
        switch method {
        case "getstats", RTCStatsNames.report:
            guard let id else { break }
            return report(of: id, parts, &context).map { [$0] } ?? []
        case "connectionInfo":
            note(clientProtocol: parts[2])
        case "create", "close":
            if let id { _ = takeState(of: id) }
        default:
            break
        }
        note(method, id, parts, &context)
        return []
    }

    private mutating func advance(_ parts: [StatsValue]) {
        guard parts.count > 3, let said = parts[parts.count - 1].number, said.isFinite else { return }
        clock = isMarked && said < Self.clockTime ? clock + said : said
    }

    private mutating func note(clientProtocol info: StatsValue) {
        guard let text = Self.whole(info)["clientProtocol"]?.text else { return }
        let version = Double(text.prefix { $0.isNumber || $0 == "." })
        namesAll = version.map { $0 >= Self.protocolThatNamesAll } ?? namesAll
    }

    /// Old clients send some objects as their text.
    private static func whole(_ value: StatsValue) -> StatsValue { TraceReader.object(value) }

    /// What the first line of a marked file says.
    private mutating func notePage(_ value: StatsValue, _ context: inout LineContext) {
        let time = value["startTime"]?.number ?? 0
        context.note(TraceEvent(time: time, content: .page(TraceReader.page(value))))
    }

    private func note(_ method: String, _ id: String?, _ parts: [StatsValue], _ context: inout LineContext) {
        guard LineContext.isTime(clock) else { return }
        let call = parts.count > 4 ? parts[3].text.map(TraceReader.short) : nil
        let reader = TraceReader(method: method, value: Self.whole(parts[2]), call: call, isOfPage: id == nil)
        let content = reader.content
        guard let id, !content.isOfPage else {
            context.note(TraceEvent(time: clock, content: content))
            return
        }
        guard context.admit(id) else { return }
        context.note(TraceEvent(time: clock, peerConnection: id, content: content))
    }

    private mutating func report(
        of id: String, _ parts: [StatsValue], _ context: inout LineContext
    ) -> RecordedReport? {
        guard case .object(let delta) = parts[2] else {
            context.note(.unexpectedForm, "The difference of a report is no object.")
            return nil
        }
        guard !isSpent, context.admit(id) else { return nil }
        var state = takeState(of: id) ?? RTCStatsState()
        let fits = state.apply(delta, form: form(of: delta), limits(context.limits))
        openWeight += state.weight
        if !fits {
            context.note(
                .limitExceeded,
                "The report has more than \(context.limits.entries) entries, or too much in them.")
        }
        // Before it is made: a difference of a few bytes costs as much as the whole report.
        guard accountsFor(state, &context) else { return nil }
        let last = parts.count > 3 ? parts[parts.count - 1] : nil
        let said = isMarked ? .double(clock) : last
        let read = context.report(from: &state, time: said)
        states[id] = state
        return read.map { RecordedReport(time: $0.time, peerConnection: id, report: $0.report) }
    }

    /// The limits of one peer connection, beside the others.
    private func limits(_ limits: RecordingLimits) -> RecordingLimits {
        var limits = limits
        limits.reportWeight = min(limits.reportWeight, limits.openWeight - openWeight)
        return limits
    }

    /// Removes a peer connection's state, which makes room for those of others.
    private mutating func takeState(of id: String) -> RTCStatsState? {
        let state = states.removeValue(forKey: id)
        openWeight -= state?.weight ?? 0
        return state
    }

    /// Whether one more report of that state may be made; the first that may not ends all, with an issue.
    private mutating func accountsFor(_ state: RTCStatsState, _ context: inout LineContext) -> Bool {
        madeWeight += state.weight
        guard madeWeight > context.limits.madeWeight else { return true }
        isSpent = true
        states = [:]
        context.note(
            .limitExceeded,
            "The reports are too large for the recording's length; the rest of them was omitted.")
        return false
    }

    private func form(of delta: [StatsMember]) -> RTCStatsState.Form {
        if delta[RTCStatsNames.time] != nil { return .compressed }
        let isWhole = isMarked && !delta.isEmpty && delta.allSatisfy { $0.value["type"] != nil }
        return namesAll || isWhole ? .namesAll : .difference
    }
}

extension TraceEvent.Content {
    /// Whether it is about the page, whatever the dump hangs it on.
    fileprivate var isOfPage: Bool {
        switch self {
        case .page, .devicesListed, .captureRequested, .captured, .captureFailed, .uploadConnected: true
        default: false
        }
    }
}
