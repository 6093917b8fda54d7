// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// A document of webrtc-internals: for each peer connection a series per id and member.
///
/// Conforms to the form of lines for documents that stand on a single one.
struct WebRTCInternalsDocument: LineFormat {
    mutating func reports(of value: StatsValue, _ context: inout LineContext) -> [RecordedReport] {
        Self.reports(of: value, &context)
    }

    static func reports(
        of bytes: [UInt8], _ context: inout LineContext
    ) throws(RecordingError) -> [RecordedReport] {
        var limits = context.limits.parseLimits
        limits.bytes = context.limits.documentBytes
        do throws(StatsParseError) {
            return reports(of: try StatsValue.parse(bytes, limits: limits), &context)
        } catch {
            throw RecordingError(
                .invalidJSON, "The document of webrtc-internals is not valid JSON at byte \(error.offset).")
        }
    }

    private static func reports(of value: StatsValue, _ context: inout LineContext) -> [RecordedReport] {
        context.line = 1
        guard case .object(let connections)? = value["PeerConnections"] else {
            context.note(.unexpectedForm, "The document has no peer connections.")
            return []
        }
        var all: [RecordedReport] = []
        for connection in connections where context.admit(connection.name) {
            guard case .object(let stats)? = connection.value["stats"] else {
                context.note(.unexpectedForm, "Peer connection \(connection.name) has no stats.")
                continue
            }
            let table = InternalsTable(stats, &context)
            all += table.reports(of: connection.name, atMost: context.limits.reports - all.count, &context)
        }
        return all.sorted { $0.time < $1.time }
    }
}
