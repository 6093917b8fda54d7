// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Observes a peer connection as a whole: what it sends, what it receives, and each of the tracks where there are several
/// of a kind.
///
/// The observation of a direction has the worst of its tracks' diagnoses; those of the tracks
/// have ``SubscriberObservation/track``. It has no clock, does no I/O and can be driven from any one task at a time.
public struct ConnectionObserver: Sendable {
    /// What a report says, by direction.
    public struct Result: Sendable {
        /// What is sent, as a whole; `nil` if nothing ever was.
        public var sent: PublisherObservation?
        /// What is received, as a whole; `nil` if nothing ever was.
        public var received: SubscriberObservation?
        /// Each sent track, where there are several of a kind.
        public var sentTracks: [PublisherObservation] = []
        /// Each received track, where there are several of a kind.
        public var receivedTracks: [SubscriberObservation] = []
    }

    private let configuration: QualityConfiguration
    private var transport: TransportObserver
    private var publisher: PublisherObserver?
    private var subscriber: SubscriberObserver?
    private var tables = (sent: TrackTable(), received: TrackTable())
    private var senders: [(track: MediaTrack, observer: PublisherObserver)] = []
    private var receivers: [(track: MediaTrack, observer: SubscriberObserver)] = []

    /// Creates an observer for a peer connection that has not been observed yet.
    public init(configuration: QualityConfiguration = QualityConfiguration()) {
        self.configuration = configuration
        transport = TransportObserver(configuration: configuration)
    }

    /// Takes the next report.
    ///
    /// - Parameters:
    ///   - report: What `getStats()` returned.
    ///   - intents: What is wanted, by direction. A direction with one is observed; if there is none at all, each is that
    ///     the reports show media of.
    ///   - remote: Figures from elsewhere.
    public mutating func handle(
        _ report: StatsReport, intents: [StreamRole: MediaIntent] = [:],
        remote: RemoteMetrics = RemoteMetrics()
    ) -> Result {
        let sends = isObserved(.publisher, intents, publisher != nil) {
            report.outboundRTP.contains { $0.kind != nil }
        }
        let receives = isObserved(.subscriber, intents, subscriber != nil) {
            report.inboundRTP.contains { $0.kind != nil }
        }
        if sends, publisher == nil { publisher = PublisherObserver(configuration: configuration) }
        if receives, subscriber == nil { subscriber = SubscriberObserver(configuration: configuration) }
        let seen = transport.handle(report, intents: intents.map { $1.of($0) }, remote: remote)
        var result = Result()
        if sends { publish(report, seen, intents[.publisher] ?? MediaIntent(), remote, &result) }
        if receives { subscribe(report, seen, intents[.subscriber] ?? MediaIntent(), remote, &result) }
        return result
    }

    /// Takes the next reports of a relayed stream, one per subscriber.
    ///
    /// - Parameters:
    ///   - reports: The reports of one tick.
    ///   - intent: What is wanted of the stream.
    ///   - remote: Figures from elsewhere.
    public mutating func handle(
        relayed reports: [ConnectionReport], intent: MediaIntent = MediaIntent(),
        remote: RemoteMetrics = RemoteMetrics()
    ) -> PublisherObservation {
        // The peer connection to a router was not observed meanwhile.
        transport.resume()
        // Taken out, so that the observer is changed in place.
        var observer = publisher.take() ?? PublisherObserver(configuration: configuration)
        defer { publisher = observer }
        observer.isShared = false
        return observer.handle(reports, intent: intent, remote: remote)
    }

    /// Forgets a subscriber that left a relayed stream; if it comes back its totals start over.
    public mutating func forget(_ connection: SubscriberConnection) { publisher?.forget(connection) }

    private func isObserved(
        _ role: StreamRole, _ intents: [StreamRole: MediaIntent], _ isKnown: Bool, _ isShown: () -> Bool
    ) -> Bool {
        intents.isEmpty ? isKnown || isShown() : intents[role] != nil
    }

    private mutating func publish(
        _ report: StatsReport, _ seen: TransportObservation, _ intent: MediaIntent, _ remote: RemoteMetrics,
        _ result: inout Result
    ) {
        // A repeated report is not the one that was seen.
        guard let tick = seen.tick else {
            let repeated = ConnectionReport(report, transport: seen, intent: intent)
            result.sent = publisher?.handle([repeated], intent: intent, remote: remote)
            return
        }
        tables.sent.note(seen.outbound, report, at: tick.time)
        let (all, present) = (tables.sent.all, tables.sent.present)
        senders.removeAll { sender in !all.contains(sender.track) }
        for track in all where !senders.contains(where: { $0.track == track }) {
            senders.append((track, PublisherObserver(configuration: configuration, track: track)))
        }
        for index in senders.indices where present.contains(senders[index].track) {
            let connection = ConnectionReport(report, transport: seen, intent: intent)
            result.sentTracks.append(
                senders[index].observer.handle([connection], intent: intent, remote: remote))
        }
        let whole = ConnectionReport(report, transport: seen, intent: intent)
        publisher?.isShared = !present.isEmpty
        result.sent = publisher?.handle([whole], intent: intent, remote: remote)
        if let worst = Self.worst(result.sentTracks.map { ($0.track, $0.diagnosis) }) {
            result.sent?.diagnosis = worst
        }
    }

    private mutating func subscribe(
        _ report: StatsReport, _ seen: TransportObservation, _ intent: MediaIntent, _ remote: RemoteMetrics,
        _ result: inout Result
    ) {
        guard let tick = seen.tick else {
            result.received = subscriber?.handle(report, transport: seen, intent: intent, remote: remote)
            return
        }
        tables.received.note(seen.inbound, report, at: tick.time)
        let (all, present) = (tables.received.all, tables.received.present)
        receivers.removeAll { receiver in !all.contains(receiver.track) }
        for track in all where !receivers.contains(where: { $0.track == track }) {
            receivers.append((track, SubscriberObserver(configuration: configuration, track: track)))
        }
        for index in receivers.indices where present.contains(receivers[index].track) {
            result.receivedTracks.append(
                receivers[index].observer.handle(report, transport: seen, intent: intent, remote: remote))
        }
        subscriber?.isShared = !present.isEmpty
        result.received = subscriber?.handle(report, transport: seen, intent: intent, remote: remote)
        if let worst = Self.worst(result.receivedTracks.map { ($0.track, $0.diagnosis) }) {
            result.received?.diagnosis = worst
        }
    }

    /// The worst of the tracks' problems; it names the track if no other one has it.
    private static func worst(_ tracks: [(track: MediaTrack?, diagnosis: Diagnosis)]) -> Diagnosis? {
        let problems = tracks.filter(\.diagnosis.cause.isProblem)
        let worst = problems.max {
            $0.diagnosis.severity?.rawValue ?? 0 < $1.diagnosis.severity?.rawValue ?? 0
        }
        guard let worst else { return nil }
        var diagnosis = worst.diagnosis
        let isAlone = problems.count { $0.diagnosis.cause == diagnosis.cause } == 1
        diagnosis.track = isAlone ? worst.track : nil
        return diagnosis
    }
}

extension MediaIntent {
    fileprivate func of(_ role: StreamRole) -> MediaIntent {
        var intent = self
        intent.role = role
        return intent
    }
}
