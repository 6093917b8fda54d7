// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import Sightline

/// Watches how good the call is.
final class CallObserver {
    let monitor: CallMonitor
    private let sentences = DiagnosisSentences()

    init(_ source: some StatsSource) {
        monitor = CallMonitor(source, roles: [.subscriber])
    }

    /// Watches the call until it is over.
    ///
    /// - Parameter show: Shows a sentence, or none.
    func watch(show: (String?) -> Void) async {
        let observations = monitor.observations()
        monitor.start()
        for await case .observed(.subscriber(let observation)) in observations {
            let severity = observation.diagnosis.severity ?? .noticeable
            let isDisturbing = severity.rawValue >= Diagnosis.Severity.disturbing.rawValue
            show(isDisturbing ? sentences.sentence(for: observation.diagnosis, to: .caller) : nil)
        }
    }
}
