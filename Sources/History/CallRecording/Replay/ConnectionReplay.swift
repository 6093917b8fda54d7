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

    private var intent: MediaIntent?
    private var stream: String?

    private var observer: ConnectionObserver
    private var shown: Set<StreamRole> = []
    /// Reports of a tick that is not over.
    private var tick: [ConnectionReport] = []
    /// The subscribers of a relayed stream in the tick before.
    private var known: [SubscriberConnection] = []

    /// In which direction its own media show a queue; `nil` if they show none.
    ///
    /// Mutating, so that an observer in a dictionary is asked where it is: it is large.
    mutating func shownQueue() -> NetworkDirection? { observer.queueDirection }

    /// What is missing of the newest report's audio; `nil` if unknown.
    ///
    /// Mutating for the same reason.
    mutating func missingAudio() -> MissingAudio? { observer.missingAudio }

    init(_ configuration: QualityConfiguration) {
        observer = ConnectionObserver(configuration: configuration)
    }

    /// Takes over what a record says beside its report.
    ///
    /// - Returns: The stream and what is wanted of it, as far as they are known now.
    mutating func note(_ record: RecordedReport) -> (stream: String?, intent: MediaIntent?) {
        intent = record.intent ?? intent
        stream = record.stream ?? stream
        return (stream, intent)
    }

    /// Observes the record's report; nothing comes of one that others of its tick follow.
    mutating func observe(_ record: RecordedReport, _ remote: RemoteMetrics) -> [StreamObservation] {
        if record.connection != nil || record.remainingInTick > 0 { return observeTogether(record, remote) }
        let intents = intent.map { intent in
            intent.role.map { [$0: intent] } ?? roles(of: record.report).reduce(into: [:]) { $0[$1] = intent }
        }
        return observer.handle(record.report, intents: intents ?? [:], remote: remote).all
    }

    /// Gathers the reports of a relayed publisher's tick.
    private mutating func observeTogether(
        _ record: RecordedReport, _ remote: RemoteMetrics
    ) -> [StreamObservation] {
        tick.append(
            ConnectionReport(
                record.report, connection: record.connection, intent: intent(of: .publisher)))
        guard record.remainingInTick <= 0 || tick.count >= Self.tickLimit else { return [] }
        defer { tick = [] }
        let present = tick.compactMap(\.connection)
        for connection in known where !present.isEmpty && !present.contains(connection) {
            observer.forget(connection)
        }
        if !present.isEmpty { known = present }
        let observation = observer.handle(relayed: tick, intent: intent(of: .publisher), remote: remote)
        return [.publisher(observation)]
    }

    /// What a peer connection is there for that may send and receive, as far as its reports have shown.
    private mutating func roles(of report: StatsReport) -> Set<StreamRole> {
        if report.sendsMedia { shown.insert(.publisher) }
        if report.receivesMedia { shown.insert(.subscriber) }
        return shown
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
