// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What was measured at a moment, before it is known of which flow.
struct WaitingSample: Sendable {
    let view: ObservedPeer.View
    let sample: StreamSample
    /// Unix ms by the server's clock.
    let time: Double
    /// By the participant's clock, Unix ms.
    let measured: Double
    /// The message that says it; `nil` without a store.
    let ticket: ReportTicket?
}

/// What was measured of streams whose sender may yet become known, in the order in which it came.
struct WaitingSamples: Sendable {
    /// Most that waits: a request with as many reports as it may have, of a peer connection that receives 16 tracks.
    private static let limit = 1024

    private var samples: [WaitingSample] = []
    /// The newest report of which something waits; `nil` if nothing does.
    private(set) var report: StatsReport?
    /// Whether more may wait: once so much was waiting that it was full, nothing does any more.
    private(set) var takesMore = true

    var isEmpty: Bool { samples.isEmpty }
    var first: WaitingSample? { samples.first }
    /// What waits to be known, each once.
    var views: [ObservedPeer.View] {
        samples.reduce(into: []) { if !$0.contains($1.view) { $0.append($1.view) } }
    }

    /// When the first was measured that waits for a view to be known, Unix ms; `nil` if none does.
    func beginning(of view: ObservedPeer.View) -> Double? {
        samples.lazy.filter { $0.view == view }.map(\.time).min()
    }

    func contains(_ view: ObservedPeer.View) -> Bool { samples.contains { $0.view == view } }

    mutating func hold(_ sample: WaitingSample, of report: StatsReport) {
        samples.append(sample)
        self.report = report
        if samples.count >= Self.limit { takesMore = false }
    }

    /// Takes out what waited for a view to be known.
    mutating func take(_ view: ObservedPeer.View) -> [WaitingSample] {
        let taken = samples.filter { $0.view == view }
        if !taken.isEmpty { samples.removeAll { $0.view == view } }
        if samples.isEmpty { report = nil }
        return taken
    }
}
