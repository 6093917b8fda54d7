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
}
