// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Which sessions are asked for; what is `nil` does not narrow.
package struct SessionQuery: Sendable, Equatable {
    /// Only those that had not ended by then, Unix ms.
    package var from: Double?
    /// Only those that had begun by then, Unix ms.
    package var to: Double?
    /// Only those in which this participant was; see ``ConnectionRecord/participant``.
    package var participant: String?
    /// Only those whose worst condition was this one or a worse one.
    package var condition: NetworkCondition?
    /// Only those that continue, or only those that have ended.
    package var isLive: Bool?
    /// At most this many, the newest first.
    package var limit = 50
    /// Where an earlier page ended.
    package var cursor: PageCursor?

    /// Everything.
    package init() {}
}

/// Which part of a session is asked for; what is `nil` does not narrow.
package struct WindowQuery: Sendable, Equatable {
    /// The session.
    package var session: String
    /// One of its connections.
    package var connection: String?
    /// One of its participants; see ``ConnectionRecord/participant``.
    package var participant: String?
    /// One of its streams.
    package var stream: String?
    /// Only publications, or only subscriptions.
    package var role: StreamRole?
    /// Who measured.
    package var observer: Observer?
    /// From then on, Unix ms.
    package var from: Double?
    /// Up to then, Unix ms.
    package var to: Double?
    /// At most this many, in the order in which they came.
    package var limit = 1000
    /// Where an earlier page ended.
    package var cursor: PageCursor?

    /// All of a session.
    package init(session: String) { self.session = session }
}
