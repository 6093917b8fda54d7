// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol
import Synchronization

/// What can be asked of a session at any moment; kept by its driver, up to date before the events about it go
/// out.
final class SessionRoster: Sendable {
    private let core = Mutex(SessionCore())
    private let connected = Mutex(false)

    var present: SessionCore { core.withLock { $0 } }

    var isConnected: Bool {
        get { connected.withLock { $0 } }
        set { connected.withLock { $0 = newValue } }
    }

    /// Changes what is known.
    func update(_ body: (inout SessionCore) -> [SessionEvent]) -> [SessionEvent] {
        core.withLock { body(&$0) }
    }
}
