// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// The observers of one recorded peer connection.
///
/// A peer connection whose intent names no role may send and receive; then each direction is a view of its own.
struct ConnectionReplay: Sendable {
    private(set) var intent: MediaIntent?
    private(set) var stream: String?

    private let configuration: QualityConfiguration
    private var transport: TransportObserver
    private var publisher: PublisherObserver?
    private var subscriber: SubscriberObserver?

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

    /// Observes the record's report.
    mutating func observe(_ record: RecordedReport, _ remote: RemoteFacts) -> [CallObservation] {
        let roles = [publisher.map { _ in StreamRole.publisher }, subscriber.map { _ in .subscriber }]
        let intents = roles.compactMap { role in role.map { intent(of: $0) } }
        let seen = transport.handle(record.report, intents: intents, remote: remote)
        var observations: [CallObservation] = []
        // Taken out, so that the observer is changed in place.
        if var observer = publisher.take() {
            let observation = observer.handle(
                [ConnectionReport(record.report, transport: seen)], intent: intent(of: .publisher),
                remote: remote)
            publisher = observer
            observations.append(CallObservation(time: record.time, content: .publisher(observation)))
        }
        if var observer = subscriber.take() {
            let observation = observer.handle(
                record.report, transport: seen, intent: intent(of: .subscriber), remote: remote)
            subscriber = observer
            observations.append(CallObservation(time: record.time, content: .subscriber(observation)))
        }
        return observations
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
