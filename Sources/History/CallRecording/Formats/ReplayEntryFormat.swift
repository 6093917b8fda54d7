// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Lines with the reports of all peer connections of one moment.
struct ReplayEntryFormat: LineFormat {
    private static let connections = "peerConnections"
    private static let time = "timestamp"

    mutating func reports(
        ofLine bytes: [UInt8], _ context: inout LineContext
    ) throws(StatsParseError) -> [RecordedReport] {
        let line = try WrappedReports.parse(
            bytes, at: .list(Self.connections), time: Self.time, limits: context.limits.parseLimits)
        switch line.value[Self.connections] {
        case .array(let pairs)?:
            return pairs.compactMap { pair in
                guard case .array(let parts) = pair, parts.count >= 2, let id = parts[0].text else {
                    context.note(.unexpectedForm, "A peer connection is no pair of an id and its stats.")
                    return nil
                }
                return record(id, parts[1], line, &context)
            }
        case .object(let members)?:
            return members.compactMap { record($0.name, $0.value, line, &context) }
        default:
            context.note(.unexpectedForm, "The line has no list \"\(Self.connections)\".")
            return []
        }
    }

    private func record(
        _ id: String, _ place: StatsValue, _ line: WrappedReports, _ context: inout LineContext
    ) -> RecordedReport? {
        guard context.admit(id),
            let (report, time) = context.report(at: place, of: line, time: line.value[Self.time])
        else { return nil }
        return RecordedReport(time: time, peerConnection: id, report: report)
    }
}
