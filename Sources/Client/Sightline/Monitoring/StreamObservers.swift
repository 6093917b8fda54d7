// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// The observers of a stream's peer connections.
struct StreamObservers {
    private let roles: Set<StreamRole>
    private var observer: ConnectionObserver
    private let onReport: (@Sendable (RecordedReport) -> Void)?
    /// The subscribers of a relayed stream in the tick before.
    private var known: [SubscriberConnection] = []

    init(
        _ roles: Set<StreamRole>, _ quality: QualityConfiguration,
        _ onReport: (@Sendable (RecordedReport) -> Void)? = nil
    ) {
        self.roles = roles
        self.onReport = onReport
        observer = ConnectionObserver(configuration: quality)
    }

    /// What reports say, the publisher's side first, each side's tracks after it.
    ///
    /// Only a publisher has several.
    ///
    /// - Parameter present: The subscribers that its sources lead to, also those whose report could not be read.
    mutating func handle(
        _ reports: [SourceReport], of present: [SubscriberConnection], _ inputs: any MonitorInputs
    ) -> [StreamObservation] {
        let remote = inputs.remoteMetrics()
        if roles.contains(.publisher) {
            forgetAllBut(present)
            if reports.contains(where: { $0.connection != nil }) { return [publish(reports, remote, inputs)] }
        }
        guard let report = reports.first else { return [] }
        var intents: [StreamRole: MediaIntent] = [:]
        if roles.contains(.publisher) { intents[.publisher] = inputs.intent(of: nil) }
        if roles.contains(.subscriber) { intents[.subscriber] = inputs.intent(for: .subscriber) }
        for role in StreamRole.allCases {
            if let intent = intents[role] { observe(report, intent, remote, inputs) }
        }
        let observations = observer.handle(report.report, intents: intents, remote: remote).all
        inputs.noteQueue(observer.queueDirection)
        return observations
    }

    /// Observes the peer connections of a relayed stream together.
    private mutating func publish(
        _ reports: [SourceReport], _ remote: RemoteMetrics, _ inputs: any MonitorInputs
    ) -> StreamObservation {
        let connections = reports.enumerated().map { index, report in
            let intent = inputs.intent(of: report.connection)
            observe(report, intent, remote, inputs, remainingInTick: reports.count - 1 - index)
            return ConnectionReport(report.report, connection: report.connection, intent: intent)
        }
        return .publisher(
            observer.handle(relayed: connections, intent: inputs.intent(for: .publisher), remote: remote))
    }

    /// Forgets subscribers that have left a relayed stream.
    ///
    /// While it is routed they are kept: it may be relayed to them again.
    private mutating func forgetAllBut(_ present: [SubscriberConnection]) {
        guard !present.isEmpty else { return }
        for connection in known where !present.contains(connection) { observer.forget(connection) }
        known = present
    }

    private func observe(
        _ report: SourceReport, _ intent: MediaIntent, _ remote: RemoteMetrics, _ inputs: any MonitorInputs,
        remainingInTick: Int = 0
    ) {
        onReport?(
            RecordedReport(
                time: report.report.timestamp, peerConnection: "", report: report.report, intent: intent,
                remote: remote, stream: inputs.streamId, connection: report.connection,
                remainingInTick: remainingInTick
            ).named(inputs.streamId ?? "call"))
    }
}
