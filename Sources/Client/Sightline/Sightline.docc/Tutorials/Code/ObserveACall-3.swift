// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import Sightline

/// Watches how good the call is.
final class CallObserver {
    let monitor: CallMonitor

    init(_ source: some StatsSource) {
        monitor = CallMonitor(source, roles: [.subscriber])
    }

    /// Watches the call until it is over.
    func watch() async {
        let observations = monitor.observations()
        monitor.start()
        for await case .observed(.subscriber(let observation)) in observations {
            print(observation.diagnosis.cause, observation.networkDegradationSource)
        }
    }
}
