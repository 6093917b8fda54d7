// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// How long audio that has been decoded waits for the device that plays it (`media-playout` of W3C webrtc-stats).
struct PlayoutDelay: Sendable {
    private var delays = Accumulator()
    private var samples = Accumulator()
    /// The mean over the last tick, in seconds; `nil` where no one says.
    private(set) var now: Double?

    /// Takes a tick of the device that plays a received stream.
    mutating func handle(_ stream: borrowing InboundRTPStats, _ report: borrowing StatsReport) {
        let playout = report.mediaPlayout(id: stream.playoutId)
        let delay = delays.advance(to: playout?.totalPlayoutDelay)
        let count = samples.advance(to: playout?.totalSamplesCount.map { Double($0) })
        guard let delay, let count, count > 0 else {
            now = nil
            return
        }
        now = (delay / count).ifSane
    }
}
