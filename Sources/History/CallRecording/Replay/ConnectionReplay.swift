// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// The observers of one recorded peer connection, or of all those of a relayed publisher.
///
/// A peer connection whose intent names no role may send and receive; then each direction is a view of its
/// own.
struct ConnectionReplay: Sendable {
    /// Reports that one tick may have; more of them are a damaged recording's.
    private static let tickLimit = 1000

    private(set) var intent: MediaIntent?
    private(set) var stream: String?

    private let configuration: QualityConfiguration
    private var transport: TransportObserver
    private var publisher: PublisherObserver?
    private var subscriber: SubscriberObserver?
    /// Reports of a tick that is not over.
    private var tick: [ConnectionReport] = []
    /// The subscribers of a relayed stream in the tick before.
    private var known: [SubscriberConnection] = []

    init(_ configuration: QualityConfiguration) {
        self.configuration = configuration
        transport = TransportObserver(configuration: configuration)
    }

    /// Takes over what a record says beside its report.
    mutating func note(_ record: RecordedReport) {
        intent = record.intent ?? intent
        stream = record.stream ?? stream
        let role = intent?.role
        if role ?? .publisher == .publisher, publisher == nil, role != nil || record.report.sendsMedia {
            publisher = PublisherObserver(configuration: configuration)
        }
        if role ?? .subscriber == .subscriber, subscriber == nil, role != nil || record.report.receivesMedia {
            subscriber = SubscriberObserver(configuration: configuration)
        }
    }

    /// Observes the record's report; nothing comes of one that others of its tick follow.
    mutating func observe(_ record: RecordedReport, _ remote: RemoteMetrics) -> [CallObservation] {
        if record.connection != nil || record.remainingInTick > 0 { return observeTogether(record, remote) }
        let roles = [publisher.map { _ in StreamRole.publisher }, subscriber.map { _ in .subscriber }]
        let intents = roles.compactMap { role in role.map { intent(of: $0) } }
        let seen = transport.handle(record.report, intents: intents, remote: remote)
        let alone = ConnectionReport(
            record.report, transport: intents.count > 1 ? seen : nil, intent: intent(of: .publisher))
        var observations = publish([alone], record.time, remote)
        // Taken out, so that the observer is changed in place.
        if var observer = subscriber.take() {
            let observation = observer.handle(
                record.report, transport: seen, intent: intent(of: .subscriber), remote: remote)
            subscriber = observer
            observations.append(CallObservation(time: record.time, content: .subscriber(observation)))
        }
        return observations
    }

    /// Gathers the reports of a relayed publisher's tick.
    private mutating func observeTogether(
        _ record: RecordedReport, _ remote: RemoteMetrics
    ) -> [CallObservation] {
        tick.append(
            ConnectionReport(
                record.report, connection: record.connection, intent: intent(of: .publisher)))
        guard record.remainingInTick <= 0 || tick.count >= Self.tickLimit else { return [] }
        defer { tick = [] }
        let present = tick.compactMap(\.connection)
        for connection in known where !present.isEmpty && !present.contains(connection) {
            publisher?.forget(connection)
        }
        if !present.isEmpty { known = present }
        return publish(tick, record.time, remote)
    }

    private mutating func publish(
        _ reports: [ConnectionReport], _ time: Double, _ remote: RemoteMetrics
    ) -> [CallObservation] {
        guard var observer = publisher.take() else { return [] }
        let observation = observer.handle(reports, intent: intent(of: .publisher), remote: remote)
        publisher = observer
        return [CallObservation(time: time, content: .publisher(observation))]
    }

    private func intent(of role: StreamRole) -> MediaIntent {
        var intent = intent ?? MediaIntent()
        intent.role = role
        return intent
    }
}

extension StatsReport {
    /// Whether the report names a stream that is sent.
    var sendsMedia: Bool { outboundRTP.contains { $0.kind != nil } }

    /// Whether the report names a stream that is received.
    var receivesMedia: Bool { inboundRTP.contains { $0.kind != nil } }
}
