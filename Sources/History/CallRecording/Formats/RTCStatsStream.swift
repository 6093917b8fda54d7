// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// What a page's rtcstats client sends while a call lasts, message by message: each is a line of the file that its server
/// would keep.
///
/// Pure, and of bounded size.
package struct RTCStatsStream: Sendable {
    /// What a message says.
    package struct Said: Sendable, Equatable {
        /// A report, as a whole.
        package var reports: [RecordedReport]
        /// Calls and events of the API.
        package var events: [TraceEvent]
    }

    private var format = RTCStatsFormat(isMarked: true)
    private var context: LineContext

    /// - Parameter limits: ``RecordingLimits/peerConnections`` is of those that are open at once.
    package init(limits: RecordingLimits) {
        var limits = limits
        // A page may send as long as its call lasts; who serves it bounds how fast.
        limits.madeWeight = .max
        context = LineContext(limits: limits)
    }

    /// Takes the next message; `nil` if it is none.
    package mutating func take(_ message: some Sequence<UInt8>) -> Said? {
        guard let value = try? StatsValue.parse(message, limits: context.limits.parseLimits),
            case .array(let parts) = value, parts.count >= 3
        else { return nil }
        let reports = format.reports(of: value, &context)
        let events = context.takeTrace()
        for event in events where event.content == .closed {
            if let id = event.peerConnection { context.forget(id) }
        }
        return Said(reports: reports, events: events)
    }
}
