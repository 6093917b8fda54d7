// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Anything that can say how a peer connection is doing: an engine's peer connection, an app's own, a browser's reports.
public protocol StatsSource: Sendable {
    /// One `getStats()` report.
    func statistics() async throws -> StatsReport
}
