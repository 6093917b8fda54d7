// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import NativeStats
import WebRTCStats

/// A report still in the engine's form.
struct NativeStatsReport: ~Copyable {
    private let raw: OpaquePointer

    init(_ handle: StatsReportHandle) {
        raw = handle.raw
    }

    deinit { sl_stats_report_destroy(raw) }

    /// The report as values, read member by member on the calling thread.
    borrowing func read() -> StatsReport {
        var walk = StatsWalk()
        withUnsafeMutablePointer(to: &walk) { walk in
            sl_stats_report_walk(raw, walk) { context, type, id, timestamp, members, count in
                guard let context, let type, let id else { return }
                let members = UnsafeBufferPointer(start: members, count: members == nil ? 0 : count)
                context.assumingMemoryBound(to: StatsWalk.self).pointee
                    .add(type: type, id: id, timestamp: timestamp, members: members)
            }
        }
        return walk.finish()
    }
}
