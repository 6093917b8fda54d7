// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Observes a peer connection as a whole: what it sends, what it receives, and each of the tracks where there are several
/// of a kind.
///
/// The observation of a direction has the worst of its tracks' diagnoses; those of the tracks
/// have ``/CallModel/SubscriberObservation/track``. It has no clock, does no I/O and can be driven from any one task at a time.
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
    /// Whether there is a ``subscriber``: it is large, and to compare it with `nil` copies it.
    private var isReceiving = false
    private var tables = (sent: TrackTable(), received: TrackTable())
    private var senders = TrackObservers<PublisherObserver>()
    private var receivers = TrackObservers<SubscriberObserver>()

    /// In which direction its own media show a queue, for the other peer connections of the client; `nil` if they show none.
    ///
    /// Stored, so that whoever reads it does not copy the observer.
    package private(set) var queueDirection: NetworkDirection?

    /// What is missing of the newest report's audio; `nil` if unknown.
    package var missingAudio: MissingAudio? { subscriber?.missingAudio }

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
        handle(report, intents: intents, remote: remote, origins: [])
    }

    /// Takes the next report of a peer connection to a server that sends what several participants sent.
    ///
    /// - Parameters:
    ///   - report: What `getStats()` returned.
    ///   - intents: What is wanted, by direction.
    ///   - remote: Figures from elsewhere for the connection as a whole.
    ///   - origins: Figures from elsewhere for each entry of `inboundRTP`, `nil` where no one knows who sends it; empty if all
    ///     have those of the whole.
    package mutating func handle(
        _ report: StatsReport, intents: [StreamRole: MediaIntent] = [:], remote: RemoteMetrics,
        origins: [RemoteMetrics?]
    ) -> Result {
        let sends = Self.isObserved(.publisher, intents, publisher != nil) {
            report.outboundRTP.contains { $0.kind != nil }
        }
        let receives = Self.isObserved(.subscriber, intents, isReceiving) {
            report.inboundRTP.contains { $0.kind != nil }
        }
        if sends, publisher == nil { publisher = PublisherObserver(configuration: configuration) }
        if receives, !isReceiving {
            subscriber = SubscriberObserver(configuration: configuration)
            isReceiving = true
        }
        let seen = transport.handle(
            report, intents: intents.map { $1.of($0) }, remote: remote, origins: origins)
        queueDirection = transport.queueDirection
        var result = Result()
        if sends { publish(report, seen, intents[.publisher] ?? MediaIntent(), remote, &result) }
        if receives {
            subscribe(report, seen, intents[.subscriber] ?? MediaIntent(), remote, origins, &result)
        }
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

    private static func isObserved(
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
        let present = tables.sent.present
        senders.follow(tables.sent.all) { PublisherObserver(configuration: configuration, track: $0) }
        result.sentTracks.reserveCapacity(present.count)
        for place in present {
            let connection = ConnectionReport(report, transport: seen, intent: intent)
            result.sentTracks.append(
                senders.observers[place].handle([connection], intent: intent, remote: remote))
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
        _ origins: [RemoteMetrics?], _ result: inout Result
    ) {
        guard let tick = seen.tick else {
            result.received = subscriber?.handle(report, transport: seen, intent: intent, remote: remote)
            return
        }
        tables.received.note(seen.inbound, report, at: tick.time)
        let present = tables.received.present
        receivers.follow(tables.received.all) { SubscriberObserver(configuration: configuration, track: $0) }
        result.receivedTracks.reserveCapacity(present.count)
        for place in present {
            var own = seen
            own.inbound = tables.received.streams[place].map { seen.inbound[$0] }
            let origin = own.inbound.first.flatMap { $0.index < origins.count ? origins[$0.index] : nil }
            result.receivedTracks.append(
                receivers.observers[place].handle(
                    report, transport: own, intent: intent,
                    remote: origin ?? (origins.isEmpty ? remote : .init())))
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

/// The observers of a direction's tracks, in the order of the tracks: apart from them, so that looking for a track moves
/// no observer.
private struct TrackObservers<Observer: Sendable>: Sendable {
    private var tracks: [MediaTrack] = []
    var observers: [Observer] = []

    /// Keeps the observers of these tracks, and makes those that are missing.
    mutating func follow(_ all: [MediaTrack], _ make: (MediaTrack) -> Observer) {
        guard tracks != all else { return }
        observers = all.map { track in
            tracks.firstIndex(of: track).map { observers[$0] } ?? make(track)
        }
        tracks = all
    }
}

extension MediaIntent {
    fileprivate func of(_ role: StreamRole) -> MediaIntent {
        var intent = self
        intent.role = role
        return intent
    }
}
