// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Replays the recordings of one call through the same observers that judged it live.
///
/// Pure: no clock, no task, no I/O; time is what the recordings say. Reports of all recordings must come in
/// the order of their times; late ones change nothing. A publisher's figures reach the subscribers of its
/// stream as its telemetry would, so that blame names a side: those of the same stream name, or else of the
/// one publisher that the other recordings show. The clocks of the recorders should agree within a second or
/// two.
public struct CallReplay: Sendable {
    struct ConnectionID: Hashable, Sendable {
        var recording: Int
        var peerConnection: String
    }

    /// A publisher, and the name of its stream if its recording has one.
    struct NamedSnapshot: Sendable {
        var stream: String?
        var publisher: PublisherSnapshot
    }

    private var connections: [ConnectionID: ConnectionReplay] = [:]
    private var builder: TimelineBuilder
    private var scores: ScoreBuilder
    private(set) var snapshots: [ConnectionID: [NamedSnapshot]] = [:]
    /// Whose last snapshot has an SSRC.
    private(set) var senders: [UInt64: Set<ConnectionID>] = [:]
    /// Of each recording's client.
    private var queues: [Int: ClientQueue<String>] = [:]
    /// Recordings in which one peer connection receives what another sends, so that they are not of one client alone.
    private var joint: Set<Int> = []
    let configuration: QualityConfiguration
    let rejudgesPublishers: Bool

    /// Creates a replay of a call.
    ///
    /// - Parameters:
    ///   - configuration: The rules to judge by.
    ///   - keepsObservations: Whether the timeline gets every observation, or only what follows from them.
    ///   - rejudgesPublishers: Whether the network condition in a publisher's recorded telemetry, which the
    ///     rules of that day found, gives way to what today's rules find in the same moment of the
    ///     publisher's own reports, where the recordings show it under the same stream name. Figures stay as
    ///     they were notified.
    public init(
        configuration: QualityConfiguration = .extended, keepsObservations: Bool = true,
        rejudgesPublishers: Bool = false
    ) {
        self.configuration = configuration
        builder = TimelineBuilder(keepsObservations: keepsObservations)
        scores = ScoreBuilder(configuration)
        self.rejudgesPublishers = rejudgesPublishers
    }

    /// The timeline of the reports so far.
    public var timeline: CallTimeline { builder.timeline }

    /// The timeline of the reports so far, with the facts of the recordings and what follows from them.
    public func timeline(with facts: CallFacts) -> CallTimeline {
        var timeline = builder.timeline
        timeline.facts = facts
        timeline.findings = FindingJudge(rules: configuration.finding).findings(in: facts)
        timeline.score = scores.score(facts)
        return timeline
    }

    /// What is missing of the audio in the newest report of a peer connection; `nil` if unknown.
    package mutating func missingAudio(of peerConnection: String, recording: Int = 0) -> MissingAudio? {
        connections[ConnectionID(recording: recording, peerConnection: peerConnection)]?.missingAudio()
    }

    /// Takes the next report.
    ///
    /// - Parameters:
    ///   - record: The report.
    ///   - recording: Which recording it is from, if there are several: its place.
    /// - Returns: What happened by it.
    @discardableResult
    public mutating func handle(_ record: RecordedReport, recording: Int = 0) -> [TimelineEvent] {
        let id = ConnectionID(recording: recording, peerConnection: record.view ?? record.peerConnection)
        // Changed where they are: observers are large.
        let (stream, intent) = connections[id, default: ConnectionReplay(configuration)].note(record)
        var remote = facts(for: id, stream, intent, record)
        let elsewhere = queues[id.recording]?.direction(beside: id.peerConnection, at: record.time)
        if elsewhere != nil, isShared(record, id) { remote.queueDirection = elsewhere }
        let observed = connections[id, default: ConnectionReplay(configuration)].observe(record, remote)
        let shown = connections[id, default: ConnectionReplay(configuration)].shownQueue()
        queues[id.recording, default: ClientQueue()].note(
            shown != nil && isShared(record, id) ? shown : nil, by: id.peerConnection, at: record.time)
        var happened: [TimelineEvent] = []
        for content in observed {
            let view = CallView.ID(
                recording: id.recording, peerConnection: id.peerConnection, role: content.role,
                track: content.track)
            let observation = CallObservation(time: record.time, content: content)
            scores.take(observation, of: view)
            happened += builder.take(observation, of: view, stream: stream)
            if case .publisher(let published) = content, published.track == nil {
                let latest = PublisherSnapshot(
                    published, record.report, intent: intent, at: record.time)
                note(NamedSnapshot(stream: stream, publisher: latest), of: id)
            }
        }
        return happened
    }

    /// Whether a peer connection and the others of its recording tell each other of queues.
    ///
    /// What was recorded with facts has all that were at hand.
    private mutating func isShared(_ record: RecordedReport, _ id: ConnectionID) -> Bool {
        guard record.remote == nil, record.connection == nil, record.remainingInTick == 0,
            !joint.contains(id.recording)
        else { return false }
        let isJoint = record.report.inboundRTP.contains { stream in
            let all = stream.ssrc.flatMap { senders[$0] } ?? []
            return all.contains { $0.recording == id.recording && $0 != id }
        }
        if isJoint { joint.insert(id.recording) }
        return !isJoint
    }

    private mutating func note(_ latest: NamedSnapshot, of id: ConnectionID) {
        let known = snapshots[id] ?? []
        snapshots[id] = known.suffix(Self.keptSnapshots - 1) + [latest]
        let (before, now) = (known.last?.publisher.ssrcs ?? [], latest.publisher.ssrcs)
        guard before != now else { return }
        for ssrc in before {
            senders[ssrc]?.remove(id)
            if senders[ssrc]?.isEmpty == true { senders[ssrc] = nil }
        }
        for ssrc in now { senders[ssrc, default: []].insert(id) }
    }

    /// Reports of a publisher for which its snapshots are kept: as many as telemetry that still counts may be
    /// old.
    private static let keptSnapshots = 16
}
