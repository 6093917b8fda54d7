// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which sustained issues are asked for; what is `nil` does not narrow.
package struct AlertQuery: Sendable, Equatable {
    /// Those of one session.
    package var session: String?
    /// Those of one participant; see ``ConnectionRecord/participant``.
    package var participant: String?
    /// Those that had not ended by then, Unix ms.
    package var from: Double?
    /// Those that had begun by then, Unix ms.
    package var to: Double?
    /// Only those that continue, or only those that are over.
    package var isOver: Bool?
    /// At most this many, the newest first.
    package var limit = 50
    /// Where an earlier page ended.
    package var cursor: PageCursor?

    /// Everything.
    package init() {}
}
