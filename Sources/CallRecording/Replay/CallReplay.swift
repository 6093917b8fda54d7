// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Replays the recordings of one call through the same observers that judged it live.
///
/// Pure: no clock, no task, no I/O; time is what the recordings say. Reports of all recordings must come in the order
/// of their times; late ones change nothing. A publisher's figures reach the subscribers of its stream as its
/// telemetry would, so that blame names a side: those of the same stream name, or else of the one publisher that the
/// other recordings show. The clocks of the recorders should agree within a second or two.
public struct CallReplay: Sendable {
    private struct ConnectionID: Hashable, Sendable {
        var recording: Int
        var peerConnection: String
    }

    private var connections: [ConnectionID: ConnectionReplay] = [:]
    private var views: [CallView.ID: ViewReplay] = [:]
    private var order: [CallView.ID] = []
    private var news: [ConnectionID: PublisherNews] = [:]
    private var events: [TimelineEvent] = []
    private let configuration: QualityConfiguration
    private let keepsObservations: Bool

    /// Creates a replay of a call.
    ///
    /// - Parameters:
    ///   - configuration: The rules to judge by.
    ///   - keepsObservations: Whether the timeline gets every observation, or only what follows from them.
    public init(configuration: QualityConfiguration = QualityConfiguration(), keepsObservations: Bool = true)
    {
        self.configuration = configuration
        self.keepsObservations = keepsObservations
    }

    /// What the reports so far amount to.
    public var timeline: CallTimeline {
        CallTimeline(views: order.compactMap { views[$0]?.result }, events: events)
    }

    /// Takes the next report.
    ///
    /// - Parameters:
    ///   - record: The report.
    ///   - recording: Which recording it is from, if there are several: its place.
    /// - Returns: What happened by it.
    @discardableResult
    public mutating func handle(_ record: RecordedReport, recording: Int = 0) -> [TimelineEvent] {
        let id = ConnectionID(recording: recording, peerConnection: record.peerConnection)
        var connection = connections.removeValue(forKey: id) ?? ConnectionReplay(configuration)
        connection.note(record)
        let remote = facts(for: id, connection, record)
        var happened: [TimelineEvent] = []
        for observation in connection.observe(record, remote) {
            happened += take(observation, id, connection.stream)
            if case .publisher(let published) = observation.content {
                news[id] = PublisherNews(published, record, connection)
            }
        }
        connections[id] = connection
        events += happened
        return happened
    }

    private mutating func take(
        _ observation: CallObservation, _ id: ConnectionID, _ stream: String?
    ) -> [TimelineEvent] {
        let view = CallView.ID(
            recording: id.recording, peerConnection: id.peerConnection, role: observation.content.role)
        if views[view] == nil {
            order.append(view)
            views[view] = ViewReplay(view, keepsObservations: keepsObservations)
        }
        return views[view]?.take(observation, stream: stream) ?? []
    }

    /// What is known from elsewhere: what was recorded, and where that lacks the publisher what its recording shows.
    private func facts(
        for id: ConnectionID, _ connection: ConnectionReplay, _ record: RecordedReport
    ) -> RemoteFacts {
        var facts = record.remote ?? RemoteFacts()
        guard facts.publisher == nil, let news = publisher(for: id, connection.stream, at: record.time) else {
            return facts
        }
        let age = news.age(at: record.time)
        // Who has the publisher's recording may see its figures.
        facts.senderStatsTrack = true
        facts.publisher = Dated(news.facts, age: age)
        if facts.leg == nil, connection.intent?.routing == .relayed { facts.leg = Dated(news.leg, age: age) }
        return facts
    }

    /// The publisher of what a peer connection receives; `nil` if there is none, or more than one could be it.
    private func publisher(for id: ConnectionID, _ stream: String?, at time: Double) -> PublisherNews? {
        let candidates = news.filter { other, news in
            guard news.age(at: time) <= configuration.remoteFactsAgeLimit else { return false }
            if let stream, let published = news.stream { return stream == published && other != id }
            return other.recording != id.recording
        }
        return candidates.count == 1 ? candidates.first?.value : nil
    }
}

extension CallObservation.Content {
    /// Which end was observed.
    var role: StreamRole {
        switch self {
        case .publisher: .publisher
        case .subscriber: .subscriber
        }
    }
}
