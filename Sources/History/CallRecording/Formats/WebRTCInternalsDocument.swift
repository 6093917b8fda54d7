// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// A document of webrtc-internals: for each peer connection a series per id and member.
struct WebRTCInternalsDocument: RecordingDocument {
    static let name = "webrtc-internals"

    mutating func reports(of value: StatsValue, _ context: inout LineContext) -> [RecordedReport] {
        guard case .object(let connections)? = value["PeerConnections"] else {
            context.note(.unexpectedForm, "The document has no peer connections.")
            return []
        }
        var all: [RecordedReport] = []
        let trace = InternalsTrace(value)
        trace.notePage(&context)
        for connection in connections where context.admit(connection.name) {
            trace.note(connection, &context)
            guard case .object(let stats)? = connection.value["stats"] else {
                context.note(.unexpectedForm, "Peer connection \(connection.name) has no stats.")
                continue
            }
            let table = InternalsTable(stats, &context)
            all += table.reports(of: connection.name, atMost: context.limits.reports - all.count, &context)
        }
        return all.sorted { $0.time < $1.time }
    }

    static func end(of value: StatsValue) -> String? {
        guard case .object(let members) = value, let last = members.last else { return nil }
        guard last.name == "PeerConnections", case .object(let connections) = last.value else {
            return "\"\(last.name)\""
        }
        return connections.last.map { "peer connection \($0.name)" }
    }
}
