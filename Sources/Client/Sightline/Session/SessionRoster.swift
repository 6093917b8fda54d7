// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// What can be asked of a session at any moment; kept by its driver, up to date before the events about it go
/// out.
final class SessionRoster: Sendable {
    private let core = Mutex(SessionPresence())
    private let place = Mutex(SessionState.disconnected)

    var present: SessionPresence { core.withLock { $0 } }

    var state: SessionState {
        get { place.withLock { $0 } }
        set { place.withLock { $0 = newValue } }
    }

    /// Changes what is known.
    func update(_ body: (inout SessionPresence) -> [SessionEvent]) -> [SessionEvent] {
        core.withLock { body(&$0) }
    }
}

extension SessionRoster: SessionParticipants {
    var own: Connection? { present.joined?.connection }
    var others: [Connection] { present.connections }
}
