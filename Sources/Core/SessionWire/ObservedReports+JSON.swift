// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import WebRTCStats

extension ObservedReports {
    private struct Entry: Encodable {
        var peerConnection: String
        var time: Double?
        var remote: String?
        var tracks: [String: TrackTag]?
        var closed: Bool?
    }

    private struct Event: Encodable {
        var type: String
        var time: Double?
        var id: String?
        var detail: [String: String]
    }

    private struct Rest: Encodable {
        var client: String?
        var events: [Event]
    }

    /// The body of a request that says the same, for another server.
    ///
    /// What has changed since the report before comes as JSON only, and is passed on as it came: it is none of this.
    package func json() throws -> [UInt8] {
        var entries: [[UInt8]] = []
        for report in reports {
            var entry = Entry(
                peerConnection: report.peerConnection, time: report.time, remote: report.remote,
                tracks: report.tracks)
            switch report.content {
            case .closed:
                entry.closed = true
                entries.append(Array(try JSONEncoder().encode(entry)))
            case .report(let stats):
                let head = Array(try JSONEncoder().encode(entry).dropLast())
                entries.append(head + Array(#","report":"#.utf8) + stats.json() + Array("}".utf8))
            case .changes: continue
            }
        }
        let rest = Rest(
            client: client,
            events: events.map { Event(type: $0.kind.rawValue, time: $0.time, id: $0.id, detail: $0.detail) })
        let head = Array(try JSONEncoder().encode(rest).dropLast())
        return head + Array(#","reports":["#.utf8) + entries.joined(separator: [UInt8(ascii: ",")])
            + Array("]}".utf8)
    }
}
