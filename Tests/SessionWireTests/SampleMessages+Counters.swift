// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension SampleMessages {
    static let counters = LegCounters(
        timestamp: 1_700_000_002_990.5, bytesReceived: 123_456, packetsReceived: 234,
        audio: .init(packetsReceived: 100, packetsLost: -1, bytesReceived: 10_000, jitter: 0.002),
        video: .init(packetsReceived: 90, packetsLost: 3, bytesReceived: 90_000, jitter: nil),
        pathPacketsSent: 180, pathPacketsReceived: 250)
}
