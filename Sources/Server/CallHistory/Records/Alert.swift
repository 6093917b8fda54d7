// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// A sustained issue: three or more samples in a row whose condition was warning or critical.
package struct Alert: Sendable, Equatable, Codable {
    /// Where it is.
    package var flow: FlowDescription
    /// The path: `local` or, for a subscriber, the publisher's `remote` one.
    package var side: NetworkDegradationSource
    /// Who measured it.
    package var observer: Observer
    /// Time of its first sample, Unix ms.
    package var first: Double
    /// Time of its last sample so far, Unix ms.
    package var last: Double
    /// Samples so far.
    package var samples: Int
    /// The worst condition so far: `warning` or `critical`.
    package var worst: NetworkCondition
    /// The most frequent reason of the condition, of a stored one that lasts when it began; `nil` if unknown.
    package var reason: NetworkReason?
    /// The side blamed most often, of a stored one that lasts when it began; `nil` if unknown, as with publishers.
    package var source: NetworkDegradationSource?
    /// Whether it has ended.
    package var isOver: Bool

    /// Creates an alert.
    package init(
        flow: FlowDescription, side: NetworkDegradationSource, observer: Observer, first: Double,
        last: Double, samples: Int,
        worst: NetworkCondition, reason: NetworkReason?, source: NetworkDegradationSource?, isOver: Bool
    ) {
        self.flow = flow
        self.side = side
        self.observer = observer
        self.first = first
        self.last = last
        self.samples = samples
        self.worst = worst
        self.reason = reason
        self.source = source
        self.isOver = isOver
    }
}

/// A flow by the names that others know.
package struct FlowDescription: Sendable, Hashable, Codable {
    /// The session.
    package var session: String
    /// The connection.
    package var connection: String
    /// The stream.
    package var stream: String
    /// What the connection does with it.
    package var role: StreamRole

    /// Describes a flow.
    package init(session: String, connection: String, stream: String, role: StreamRole) {
        self.session = session
        self.connection = connection
        self.stream = stream
        self.role = role
    }
}
