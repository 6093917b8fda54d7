// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Lines with the reports of all peer connections of one moment.
struct ReplayEntryFormat: LineFormat {
    mutating func reports(of value: StatsValue, _ context: inout LineContext) -> [RecordedReport] {
        switch value["peerConnections"] {
        case .array(let pairs)?:
            return pairs.compactMap { pair in
                guard case .array(let parts) = pair, parts.count >= 2, let id = parts[0].text else {
                    context.note(.unexpectedForm, "A peer connection is no pair of an id and its stats.")
                    return nil
                }
                return record(id, parts[1], value["timestamp"], &context)
            }
        case .object(let members)?:
            return members.compactMap { record($0.name, $0.value, value["timestamp"], &context) }
        default:
            context.note(.unexpectedForm, "The line has no list \"peerConnections\".")
            return []
        }
    }

    private func record(
        _ id: String, _ stats: StatsValue, _ time: StatsValue?, _ context: inout LineContext
    ) -> RecordedReport? {
        guard context.admit(id), let (report, time) = context.report(from: stats, time: time) else {
            return nil
        }
        return RecordedReport(time: time, peerConnection: id, report: report)
    }
}
