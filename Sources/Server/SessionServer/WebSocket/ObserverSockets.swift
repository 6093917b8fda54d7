// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionCore
import Synchronization

/// The sockets on which participants of observed calls report.
final class ObserverSockets: Sendable {
    let hub: ServerHub
    let gate: APIGate
    let intake: ObservedIntake
    let limits: SessionServerLimits
    /// Open sockets by participant.
    private let open = Mutex<[ObserverGrant: Int]>([:])

    init(hub: ServerHub, gate: APIGate, intake: ObservedIntake, limits: SessionServerLimits) {
        self.hub = hub
        self.gate = gate
        self.intake = intake
        self.limits = limits
    }

    /// Whether a participant may have another socket; counts it then.
    func enter(_ observer: ObserverGrant) -> Bool {
        open.withLock { open in
            guard open[observer, default: 0] < limits.connectionsPerToken else { return false }
            open[observer, default: 0] += 1
            return true
        }
    }

    /// A socket of a participant is gone.
    func leave(_ observer: ObserverGrant) {
        open.withLock { open in
            guard let count = open[observer] else { return }
            open[observer] = count > 1 ? count - 1 : nil
        }
    }
}
