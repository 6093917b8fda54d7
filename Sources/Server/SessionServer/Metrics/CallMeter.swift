// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel

/// Counts what calls are like from what is stored of them.
///
/// Pure. What it keeps of a call goes with it.
struct CallMeter: Sendable {
    fileprivate struct Flow {
        let session: String
        let role: StreamRole
        let createdAt: Double
        var hasMedia = false
        /// Time of the last sample of each observer, Unix ms.
        var lastAt: [Observer: Double] = [:]
        var video: Watched?
    }

    /// A subscription's video as its client has seen it; times are Unix ms.
    fileprivate struct Watched {
        let since: Double
        var until: Double
        let frozenBefore: Double
        var frozen: Double
    }

    fileprivate struct Call {
        var connections: Set<String> = []
        var hasMedia = false
        var seconds = 0.0
        var disturbed = 0.0
        var bad = 0.0
    }

    /// No tick is longer, seconds: what was not measured does not count.
    fileprivate static let longestTick = 10.0

    private(set) var figures = CallFigures()
    /// By connection and number.
    private var flows: [String: [Int64: Flow]] = [:]
    private var sessions: [String: String] = [:]
    private var calls: [String: Call] = [:]

    /// Takes note of what is to be stored.
    mutating func count(_ record: StoreRecord) {
        switch record {
        case .connection(let connection):
            sessions[connection.name] = connection.session
            calls[connection.session, default: Call()].connections.insert(connection.name)
        case .connectionLeft(let name, _, let reason): left(name, reason)
        case .flow(let flow):
            guard flows[flow.key.connection]?[flow.key.number] == nil else { return }
            flows[flow.key.connection, default: [:]][flow.key.number] = Flow(
                session: flow.session, role: flow.role, createdAt: flow.createdAt)
        case .flowEnded(let key, _): end(key)
        case .sample(let record): count(record)
        case .sessionEnded(let name, _, _): endCall(name)
        case .session, .callEnded, .restorationOver, .stream, .streamEnded, .event, .report, .rating: break
        }
    }

    private mutating func count(_ record: SampleRecord) {
        let sample = record.sample
        let flow = flows[record.flow.connection]?[record.flow.number]
        let view = CallFigures.View(
            observer: record.observer.name, role: flow?.role.name ?? NetworkCondition.unknown.name)
        figures.add(sample.roundTripTime, to: .roundTripTime, view)
        figures.add(sample.fractionLost, to: .networkLoss, view)
        figures.add(sample.audio?.jitter, to: .audioJitter, view)
        figures.add(sample.video?.jitter, to: .videoJitter, view)
        figures.add(sample.audio?.mos, to: .audioScore, view)
        figures.add(sample.video?.mos, to: .videoScore, view)
        guard var flow else { return }
        let seconds = flow.advance(record)
        judge(sample.diagnosis, seconds, view, in: flow.session)
        if !flow.hasMedia, sample.hasMedia {
            flow.hasMedia = true
            calls[flow.session]?.hasMedia = true
            let time = max(0, record.mark.time - flow.createdAt) / 1000
            figures.timeToMedia[flow.role.name]?.add(time)
        }
        flows[record.flow.connection]?[record.flow.number] = flow
    }

    private mutating func judge(
        _ diagnosis: Diagnosis?, _ seconds: Double, _ view: CallFigures.View, in session: String
    ) {
        guard let diagnosis, diagnosis.cause != .unknown else { return }
        figures.judged[view, default: 0] += seconds
        calls[session]?.seconds += seconds
        guard let severity = diagnosis.severity else { return }
        // A publisher's own path is what it is judged by.
        let side = diagnosis.side ?? (view.role == StreamRole.publisher.name ? .local : .unknown)
        let kind = CallFigures.Impairment(
            view: view, cause: diagnosis.cause.rawValue, side: side.name, severity: "\(severity)")
        figures.impaired[kind, default: 0] += seconds
        if severity >= .disturbing { calls[session]?.disturbed += seconds }
        if severity >= .bad { calls[session]?.bad += seconds }
    }
}

// MARK: - Ends

extension CallMeter {
    private mutating func end(_ key: FlowKey) {
        if let flow = flows[key.connection]?.removeValue(forKey: key.number) { end(flow) }
    }

    private mutating func end(_ flow: Flow) {
        guard let video = flow.video, video.until > video.since else { return }
        let share = (video.frozen - video.frozenBefore) / (video.until - video.since)
        figures.frozen.add(min(1, max(0, share)))
    }

    private mutating func left(_ connection: String, _ reason: EndReason) {
        figures.departures[reason, default: 0] += 1
        for flow in flows.removeValue(forKey: connection)?.values ?? [:].values { end(flow) }
        guard let session = sessions.removeValue(forKey: connection) else { return }
        calls[session]?.connections.remove(connection)
        if calls[session]?.connections.isEmpty == true { endCall(session) }
    }

    /// The last one has left, or the server ends it.
    private mutating func endCall(_ session: String) {
        guard let call = calls.removeValue(forKey: session) else { return }
        for connection in call.connections {
            sessions[connection] = nil
            for flow in flows.removeValue(forKey: connection)?.values ?? [:].values { end(flow) }
        }
        figures.outcomes[call.outcome, default: 0] += 1
    }
}

extension CallMeter.Call {
    fileprivate var outcome: CallFigures.Outcome {
        guard hasMedia else { return .noMedia }
        guard seconds > 0 else { return .good }
        if bad / seconds >= 0.1 { return .bad }
        return disturbed / seconds >= 0.05 ? .impaired : .good
    }
}

extension CallMeter.Flow {
    /// Moves on to a sample; the seconds that it stands for.
    fileprivate mutating func advance(_ record: SampleRecord) -> Double {
        let time = record.mark.time
        let last = lastAt[record.observer]
        lastAt[record.observer] = max(time, last ?? time)
        if role == .subscriber, record.observer == .client,
            let frozen = record.sample.video?.totalFreezesDuration
        {
            if video == nil { video = .init(since: time, until: time, frozenBefore: frozen, frozen: frozen) }
            if let until = video?.until, time > until {
                video?.until = time
                video?.frozen = frozen
            }
        }
        guard let last else { return 1 }
        return min(CallMeter.longestTick, max(0, time - last) / 1000)
    }
}

extension StreamSample {
    /// Whether anything was sent or received.
    var hasMedia: Bool { [audio, video].contains { ($0?.packets ?? 0) > 0 } }
}
