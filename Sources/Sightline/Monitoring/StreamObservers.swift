// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// The observers of one peer connection, by role.
struct StreamObservers {
    private var publisher: PublisherObserver?
    private var subscriber: SubscriberObserver?
    private let onReport: (@Sendable (ObservedReport) -> Void)?

    init(
        _ roles: Set<StreamRole>, _ quality: QualityConfiguration,
        _ onReport: (@Sendable (ObservedReport) -> Void)? = nil
    ) {
        self.onReport = onReport
        publisher = roles.contains(.publisher) ? PublisherObserver(configuration: quality) : nil
        subscriber = roles.contains(.subscriber) ? SubscriberObserver(configuration: quality) : nil
    }

    /// What a report says, the publisher's side first.
    mutating func handle(_ report: StatsReport, _ inputs: any MonitorInputs) -> [CallObservation] {
        let remote = inputs.remoteFacts()
        var observations: [CallObservation] = []
        if publisher != nil {
            let intent = inputs.intent(for: .publisher)
            tell(report, intent, remote, inputs)
            let sent = publisher?.handle(report, intent: intent, remote: remote)
            observations += sent.map { [.publisher($0)] } ?? []
        }
        if subscriber != nil {
            let intent = inputs.intent(for: .subscriber)
            tell(report, intent, remote, inputs)
            let received = subscriber?.handle(report, intent: intent, remote: remote)
            observations += received.map { [.subscriber($0)] } ?? []
        }
        return observations
    }

    private func tell(
        _ report: StatsReport, _ intent: MediaIntent, _ remote: RemoteFacts, _ inputs: any MonitorInputs
    ) {
        onReport?(ObservedReport(report: report, intent: intent, remote: remote, streamId: inputs.streamId))
    }
}
