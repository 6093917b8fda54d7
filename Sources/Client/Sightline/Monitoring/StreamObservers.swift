// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// The observers of one peer connection, by role.
struct StreamObservers {
    private var publisher: PublisherObserver?
    private var subscriber: SubscriberObserver?
    private let onReport: (@Sendable (ObservedReport) -> Void)?
    /// The subscribers of a relayed stream in the tick before.
    private var known: [SubscriberConnection] = []

    init(
        _ roles: Set<StreamRole>, _ quality: QualityConfiguration,
        _ onReport: (@Sendable (ObservedReport) -> Void)? = nil
    ) {
        self.onReport = onReport
        publisher = roles.contains(.publisher) ? PublisherObserver(configuration: quality) : nil
        subscriber = roles.contains(.subscriber) ? SubscriberObserver(configuration: quality) : nil
    }

    /// What reports say, the publisher's side first.
    ///
    /// Only a publisher has several.
    ///
    /// - Parameter present: The subscribers that its sources lead to, also those whose report could not be read.
    mutating func handle(
        _ reports: [SourceReport], of present: [SubscriberConnection], _ inputs: any MonitorInputs
    ) -> [CallObservation] {
        let remote = inputs.remoteMetrics()
        var observations: [CallObservation] = []
        if let sent = publish(reports, of: present, remote, inputs) { observations.append(.publisher(sent)) }
        if subscriber != nil, let report = reports.first?.report {
            let intent = inputs.intent(for: .subscriber)
            tell(SourceReport(report: report), intent, remote, inputs)
            let received = subscriber?.handle(report, intent: intent, remote: remote)
            observations += received.map { [.subscriber($0)] } ?? []
        }
        return observations
    }

    private mutating func publish(
        _ reports: [SourceReport], of present: [SubscriberConnection], _ remote: RemoteMetrics,
        _ inputs: any MonitorInputs
    ) -> PublisherObservation? {
        guard publisher != nil else { return nil }
        forgetAllBut(present)
        let connections = reports.enumerated().map { index, report in
            let intent = inputs.intent(of: report.connection)
            tell(report, intent, remote, inputs, remainingInTick: reports.count - 1 - index)
            return ConnectionReport(report.report, connection: report.connection, intent: intent)
        }
        return publisher?.handle(connections, intent: inputs.intent(for: .publisher), remote: remote)
    }

    /// Forgets subscribers that have left a relayed stream.
    ///
    /// While it is routed they are kept: it may be relayed to them again.
    private mutating func forgetAllBut(_ present: [SubscriberConnection]) {
        guard !present.isEmpty else { return }
        for connection in known where !present.contains(connection) { publisher?.forget(connection) }
        known = present
    }

    private func tell(
        _ report: SourceReport, _ intent: MediaIntent, _ remote: RemoteMetrics, _ inputs: any MonitorInputs,
        remainingInTick: Int = 0
    ) {
        onReport?(
            ObservedReport(
                report: report.report, intent: intent, remote: remote, streamId: inputs.streamId,
                connection: report.connection, remainingInTick: remainingInTick))
    }
}
