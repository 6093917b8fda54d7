// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A sustained issue: three or more samples in a row whose condition was warning or critical.
public struct Alert: Sendable, Equatable, Codable {
    /// Where it is.
    public var flow: FlowDescription
    /// Whose path: `local` or, as a subscriber knows the publisher's, `remote`.
    public var side: String
    /// Who measured it.
    public var observer: Observer
    /// Time of its first sample, Unix ms.
    public var first: Double
    /// Time of its last sample so far, Unix ms.
    public var last: Double
    /// Samples so far.
    public var samples: Int
    /// The worst condition so far: `warning` or `critical`.
    public var worst: String
    /// What drove the condition most often; `nil` if nothing said.
    public var reason: String?
    /// Whose network was blamed most often; `nil` if nothing said, as with publishers.
    public var source: String?
    /// Whether it has ended.
    public var isOver: Bool

    /// Makes an alert.
    public init(
        flow: FlowDescription, side: String, observer: Observer, first: Double, last: Double, samples: Int,
        worst: String, reason: String?, source: String?, isOver: Bool
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
public struct FlowDescription: Sendable, Hashable, Codable {
    /// The session.
    public var session: String
    /// The connection.
    public var connection: String
    /// The stream.
    public var stream: String
    /// `publisher` or `subscriber`.
    public var role: String

    /// Describes a flow.
    public init(session: String, connection: String, stream: String, role: String) {
        self.session = session
        self.connection = connection
        self.stream = stream
        self.role = role
    }
}
