// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Gathers the facts of one recording: its reports as they come, then its calls and events of the API.
///
/// Pure: no clock, no I/O.
public struct FactCollector: Sendable {
    private let recording: Int
    private var samplers: [String: ConnectionSampler] = [:]
    private var order: [String] = []

    /// Creates a collector.
    ///
    /// - Parameter recording: The recording's place among those of the call.
    public init(recording: Int) { self.recording = recording }

    /// Takes the next report.
    public mutating func take(_ record: RecordedReport) {
        let pc = record.peerConnection
        if samplers[pc] == nil { order.append(pc) }
        samplers[pc, default: ConnectionSampler(pc, at: record.time)].take(record)
    }

    /// The facts of the reports so far and of these events.
    ///
    /// - Parameters:
    ///   - trace: The recording's calls and events, in their order.
    ///   - format: The recording's form; `nil` if unknown.
    public func facts(with trace: [TraceEvent], format: RecordingFormat? = nil) -> ClientFacts {
        var client = ClientFacts(recording: recording)
        client.note(trace)
        var own: [String: [TraceEvent]] = [:]
        var names = order
        for event in trace {
            guard let pc = event.peerConnection else { continue }
            if own[pc] == nil, samplers[pc] == nil { names.append(pc) }
            own[pc, default: []].append(event)
        }
        client.connections = names.compactMap { pc in
            let events = own[pc] ?? []
            let begun = events.first.map { ConnectionFacts(pc: pc, from: $0.time, to: $0.time) }
            guard var facts = samplers[pc]?.result ?? begun else { return nil }
            facts.note(events)
            if format == .webrtcInternals { facts.isTruncated = facts.reports >= Self.internalsLimit }
            return facts
        }
        client.connections.sort { $0.from < $1.from }
        let times =
            client.connections.flatMap { [$0.from, $0.to] } + [client.from, client.to].compactMap(\.self)
        client.from = times.min()
        client.to = times.max()
        for index in client.connections.indices {
            let connection = client.connections[index]
            client.connections[index].end =
                connection.isClosed == true ? connection.to : client.to ?? connection.to
        }
        return client
    }

    /// Values that webrtc-internals keeps of each member.
    private static let internalsLimit = 1000
}
