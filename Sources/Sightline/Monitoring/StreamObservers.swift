// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// The observers of one peer connection, by role.
struct StreamObservers {
    private var publisher: PublisherObserver?
    private var subscriber: SubscriberObserver?

    init(_ roles: Set<StreamRole>, _ quality: QualityConfiguration) {
        publisher = roles.contains(.publisher) ? PublisherObserver(configuration: quality) : nil
        subscriber = roles.contains(.subscriber) ? SubscriberObserver(configuration: quality) : nil
    }

    /// What a report says, the publisher's side first.
    mutating func handle(_ report: StatsReport, _ inputs: any MonitorInputs) -> [CallObservation] {
        let remote = inputs.remoteFacts()
        let sent = publisher?.handle(report, intent: inputs.intent(for: .publisher), remote: remote)
        let received = subscriber?.handle(report, intent: inputs.intent(for: .subscriber), remote: remote)
        return [sent.map(CallObservation.publisher), received.map(CallObservation.subscriber)].compactMap {
            $0
        }
    }
}
