// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallQuality
import CallRecording
import SessionWire

/// What is worth knowing about a stored call, and how good it was as one number: `GET /v1/sessions/{session}/findings`.
struct CallFindings: Encodable, Sendable, Equatable {
    /// Something about the whole call, or one end of one stream.
    struct Entry: Encodable, Sendable, Equatable {
        var kind: FindingKind
        var severity: CallRecording.Finding.Severity
        /// The connection that shows it.
        var connection: String
        /// `nil` if it is about no stream.
        var flow: FlowDescription?
        /// `audio` or `video`; `nil` if it is about neither alone.
        var medium: MediaKind?
        /// Unix ms.
        var from: Double
        var to: Double
        var evidence: [CallRecording.Finding.Evidence]
        var sentence: String
        var advice: String
        var tags: [CallRecording.Finding.Tag]
    }

    /// How good the call was for one participant.
    struct Score: Encodable, Sendable, Equatable {
        var connection: String
        /// 0 to 100.
        var score: Double
        var audio: ScorePart?
        var video: ScorePart?
        var connectivity: ScorePart?
    }

    /// The mean of the participants', 0 to 100; `nil` if nothing could be judged.
    var score: Double?
    var participants: [Score]
    /// What matters most first.
    var findings: [Entry]
    /// Participants' ratings of it themselves.
    var ratings: [RatedCall]
    /// Whether there were more events or samples than are looked at.
    var isTruncated: Bool
}

extension SessionReport {
    /// What is worth knowing about the call.
    var callFindings: CallFindings {
        let facts = observationFacts
        let score = facts.score
        return CallFindings(
            score: score.score,
            participants: score.participants.compactMap { participant in
                connection(at: participant.recording).map { CallFindings.Score($0, participant) }
            },
            findings: facts.findings.compactMap(entry), ratings: summary.ratings, isTruncated: isTruncated)
    }

    /// How good the call was by the rules, 0 to 100, at each connection, and for how long that could be judged, s.
    var judgedTimes: [(connection: String, score: Double, seconds: Double)] {
        observationFacts.score.participants.compactMap { participant in
            let parts = [participant.audio, participant.video, participant.connectivity]
            let seconds = parts.compactMap { $0?.seconds }.max() ?? 0
            return connection(at: participant.recording).map { ($0, participant.score, seconds) }
        }
    }

    private var observationFacts: ObservationFacts {
        let places = Dictionary(summary.connections.enumerated().map { ($1.connection, $0) }) { first, _ in
            first
        }
        var facts = ObservationFacts()
        for (observation, flow) in observations {
            guard let place = places[flow.connection] else { continue }
            facts.take(observation, of: Self.view(flow, of: place))
        }
        for event in events.sorted(by: { $0.time < $1.time }) {
            guard let place = event.connection.flatMap({ places[$0] }) else { continue }
            for content in TraceEvent.Content.all(of: event) {
                facts.take(TraceEvent(time: event.time, content: content), of: place)
            }
        }
        return facts
    }

    private func entry(_ finding: CallRecording.Finding) -> CallFindings.Entry? {
        guard let connection = connection(at: finding.recording) else { return nil }
        let flow = finding.pc.flatMap { pc in
            summary.flows.lazy.map(\.flow).first { flow in
                let view = Self.view(flow)
                return view.peerConnection == pc && finding.role ?? view.role == view.role
            }
        }
        return CallFindings.Entry(
            kind: finding.kind, severity: finding.severity, connection: connection, flow: flow,
            medium: finding.track?.kind, from: finding.from, to: finding.to, evidence: finding.evidence,
            sentence: finding.sentence, advice: finding.advice, tags: finding.tags)
    }

    private func connection(at place: Int) -> String? {
        summary.connections.indices.contains(place) ? summary.connections[place].connection : nil
    }
}

extension CallFindings.Score {
    fileprivate init(_ connection: String, _ score: ParticipantScore) {
        self.init(
            connection: connection, score: score.score, audio: score.audio,
            video: score.video,
            connectivity: score.connectivity)
    }
}

extension TraceEvent.Content {
    /// What the event of an observed participant says, as a dump would; nothing for any other.
    fileprivate static func all(of event: TimelineEntry) -> [Self] {
        let detail = event.detail
        let wants = detail["wants"]?.split(separator: " ") ?? []
        switch event.type {
        case ObservedEvent.Kind.getUserMedia.rawValue, ObservedEvent.Kind.getDisplayMedia.rawValue:
            let isDisplay = event.type == ObservedEvent.Kind.getDisplayMedia.rawValue
            let request = TraceCapture(
                hasAudio: wants.contains("audio"), hasVideo: wants.contains("video"), isDisplay: isDisplay)
            // Events do not name tracks: the last of its kind is meant.
            let tracks = wants.map { TraceTrack(kind: String($0), id: String($0)) }
            return [
                .captureRequested(request),
                detail["error"].map { .captureFailed(error: $0, message: "", isDisplay: isDisplay) }
                    ?? .captured(tracks, isDisplay: isDisplay),
            ]
        case ObservedEvent.Kind.track.rawValue:
            guard detail["end"] == "local", detail["state"] == "ended", let kind = detail["kind"] else {
                return []
            }
            return [.trackEnded(kind)]
        default: return []
        }
    }
}
