// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import Sightline

extension Participant {
    /// Receives whoever comes later, such as a browser, until the session is over; what arrives is in the dashboard, and
    /// not in the command's output.
    func welcome(_ networks: DemoNetworks) {
        let events = session.events()
        let conditions = ConditionSchedule(always: NetworkConditions())
        Task {
            for await event in events {
                guard case .streamCreated(let stream) = event, stream.connection != session.connection else {
                    continue
                }
                // A guest who has gone again is none to receive.
                guard let leg = try? await subscribe(stream, conditions: conditions) else { continue }
                await networks.add(leg)
            }
        }
    }
}
