// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import SessionCore
import SessionWire
import WebRTCStats

/// Makes what a page's rtcstats client says what a participant of an observed call says.
///
/// Pure, and of bounded size.
struct RTCStatsReader: Sendable {
    /// Most peer connections of a page that are open at once.
    static let mostPeerConnections = 32
    /// Most tracks whose kind is remembered.
    private static let trackLimit = 256

    private struct Track {
        let kind: String
        let end: String
    }

    /// What the browser calls itself; `nil` if it does not.
    private let client: String?
    /// Tells the peer connections of this socket from those of the participant's others.
    private let prefix: String
    private var stream: RTCStatsStream
    /// Those of which something was said, and not that they are closed.
    private var peers: Set<String> = []
    /// Who is at the other end of a peer connection, as the app says.
    private var remotes: [String: String] = [:]
    /// What the app says of the tracks of a peer connection.
    private var tags: [String: [String: TrackTag]] = [:]
    private var tracks: [String: Track] = [:]
    /// What was asked for last of microphone and camera.
    private var wants = ""

    init(client: String?, prefix: String, limits: SessionServerLimits) {
        self.client = client
        self.prefix = prefix
        var reading = RecordingLimits()
        reading.lineBytes = limits.observedBodyBytes
        reading.peerConnections = min(limits.legsPerConnection, Self.mostPeerConnections)
        reading.entries = 2048
        reading.reportWeight = 1 << 15
        reading.issues = 0
        stream = RTCStatsStream(limits: reading)
    }

    /// What a message says; `nil` if it is none.
    mutating func read(_ message: some Sequence<UInt8>) -> ObservedReports? {
        guard let said = stream.take(message) else { return nil }
        var observed = ObservedReports(client: client, reports: [])
        for report in said.reports {
            guard let name = name(of: report.peerConnection) else { continue }
            peers.insert(name)
            observed.reports.append(
                ObservedReport(
                    peerConnection: name, time: report.time, .report(report.report), remote: remotes[name],
                    tracks: tags[name]))
        }
        for event in said.events { take(event, &observed) }
        return observed
    }

    /// What there is to say when the socket is gone: all that it spoke of is closed.
    mutating func end() -> ObservedReports {
        defer { peers = [] }
        return ObservedReports(reports: peers.sorted().map { ObservedReport(peerConnection: $0, .closed) })
    }

    private mutating func take(_ event: TraceEvent, _ observed: inout ObservedReports) {
        if event.content == .closed {
            guard let name = event.peerConnection.flatMap(name) else { return }
            remotes[name] = nil
            tags[name] = nil
            guard peers.remove(name) != nil else { return }
            return observed.reports.append(ObservedReport(peerConnection: name, .closed))
        }
        if let name = event.peerConnection.flatMap(name) { note(event.content, of: name) }
        guard let (kind, detail) = occurrence(event) else { return }
        observed.events.append(ObservedEvent(kind, time: event.time, detail: detail))
    }

    /// Notes what the app says of a peer connection, and of its tracks.
    private mutating func note(_ said: TraceEvent.Content, of name: String) {
        switch said {
        case .remoteParticipant(let remote):
            guard (1...SessionProtocol.nameLimit).contains(remote.utf8.count),
                remotes[name] != nil || remotes.count < Self.mostPeerConnections
            else { return }
            remotes[name] = remote
        case .trackTagged(let track, let participant, let trackName):
            guard tags[name] != nil || tags.count < Self.mostPeerConnections else { return }
            let tag = TrackTag(participant: participant, name: trackName)
            var all = tags[name] ?? [:]
            all[track] = tag == TrackTag() ? nil : tag
            guard (try? TrackTag.check(all)) != nil else { return }
            tags[name] = all
        default: break
        }
    }

    private func name(of peerConnection: String) -> String? {
        let name = "\(prefix)-\(peerConnection)"
        return name.utf8.count <= SessionProtocol.nameLimit ? name : nil
    }

    private mutating func occurrence(
        _ event: TraceEvent
    ) -> (kind: ObservedEvent.Kind, detail: [String: String])? {
        switch event.content {
        case .devicesListed: return (.enumerateDevices, [:])
        case .captureRequested(let capture):
            let kinds = [capture.hasAudio ? "audio" : nil, capture.hasVideo ? "video" : nil]
            wants = kinds.compactMap(\.self).joined(separator: " ")
            return nil
        case .captured(let all, let isDisplay):
            for track in all { note(track, "local") }
            return (isDisplay ? .getDisplayMedia : .getUserMedia, ["wants": wants])
        case .captureFailed(let error, _, let isDisplay):
            return (isDisplay ? .getDisplayMedia : .getUserMedia, ["wants": wants, "error": error])
        case .trackAdded(let track): note(track, "local")
        case .trackReceived(let track): note(track, "remote")
        case .trackMuted(let id): return occurrence("mute", ofTrack: id)
        case .trackUnmuted(let id): return occurrence("unmute", ofTrack: id)
        case .trackEnded(let id): return occurrence("ended", ofTrack: id)
        case .connectionState(let state): return occurrence(.connectionState, state, event)
        case .iceState(let state): return occurrence(.iceConnectionState, state, event)
        case .failed("addIceCandidate", let reason):
            return (.addIceCandidate, ["error": String(reason.prefix { $0 != ":" })])
        default: break
        }
        return nil
    }

    private func occurrence(
        _ kind: ObservedEvent.Kind, _ state: String, _ event: TraceEvent
    ) -> (ObservedEvent.Kind, [String: String])? {
        event.peerConnection.flatMap(name).map { (kind, ["peerConnection": $0, "state": state]) }
    }

    private func occurrence(_ state: String, ofTrack id: String) -> (ObservedEvent.Kind, [String: String])? {
        tracks[id].map { (.track, ["end": $0.end, "kind": $0.kind, "state": state]) }
    }

    private mutating func note(_ track: TraceTrack, _ end: String) {
        guard tracks.count < Self.trackLimit || tracks[track.id] != nil else { return }
        tracks[track.id] = tracks[track.id] ?? Track(kind: track.kind, end: end)
    }
}
