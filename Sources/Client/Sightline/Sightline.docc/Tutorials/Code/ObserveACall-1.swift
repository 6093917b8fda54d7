// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import WebRTCStats

/// The statistics of the app's own peer connection.
struct CallStatistics: StatsSource {
    /// Asks the stack for its report, as JSON.
    let report: @Sendable () async -> [UInt8]

    func statistics() async throws -> StatsReport {
        try StatsReport.parse(await report()).report
    }
}
