// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire

/// When a client that tests its network is sent what the media router has counted of its legs.
///
/// Two messages four times a second are 13 kbit/s, headers included, of a line that may carry 30. The test ends as soon as it knows
/// enough of what arrives of its publication, so that is sent at once. What arrives of the subscription, which is feedback, corrects
/// that by a little: it goes with the publication's next, a quarter of a second later.
///
/// Pure, and of bounded size.
struct TestCounters: Sendable {
    /// The publication's next comes sooner, unless it is over.
    private static let longestWait: Duration = .milliseconds(400)

    /// When a publication was counted last; `nil` unless it brings media: until then it is counted once a second.
    private var published: Duration?
    /// The subscription that was counted last, and whether the router had keys.
    private var subscribed: (leg: LegName, isConnected: Bool)?
    /// What goes with the publication's next, by the leg.
    private var waiting: [LegName: LegCounters] = [:]

    /// Takes what was counted of a leg; gives what the client is sent now, `nil` if that waits.
    mutating func take(_ counted: LegMetrics, of role: StreamRole, at now: Duration) -> LegMetrics? {
        guard let counters = counted.counters else { return counted }
        switch role {
        case .publisher:
            published = counters.hasMedia ? now : nil
            var sent = counted
            sent.beside = waiting.isEmpty ? nil : waiting
            waiting = [:]
            return sent
        case .subscriber:
            // Keys are waited for.
            let hasNoNews =
                subscribed.map { $0.leg == counted.leg && $0.isConnected == counters.isConnected } ?? false
            subscribed = (counted.leg, counters.isConnected)
            guard hasNoNews, let published, now - published <= Self.longestWait else {
                waiting[counted.leg] = nil
                return counted
            }
            waiting[counted.leg] = counters
            return nil
        }
    }
}

extension LegCounters {
    /// Whether any of a publication's have come.
    fileprivate var hasMedia: Bool { [audio, video].contains { $0?.packetsReceived ?? 0 > 0 } }
}
