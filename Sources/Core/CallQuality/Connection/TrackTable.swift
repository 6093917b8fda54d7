// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// The tracks that a direction of a peer connection has, where there are several of a kind at once.
struct TrackTable: Sendable {
    /// Tracks that are distinguished; a conference has a few dozen.
    private static let most = 256
    /// How long a track that no report has any more is remembered, in ms.
    private static let memory = 30_000.0

    private var tracks: [(track: MediaTrack, lastSeen: Double)] = []
    private var isShared = false

    /// All tracks that are remembered, if a kind has several.
    var all: [MediaTrack] { isShared ? tracks.map(\.track) : [] }

    /// Those of them that the newest report has.
    private(set) var present: [MediaTrack] = []

    /// Takes the received streams of a report.
    mutating func note(_ entries: [InboundDelta], _ report: borrowing StatsReport, at time: Double) {
        note(entries.map { MediaTrack($0, report) }, at: time)
    }

    /// Takes the sent streams of a report; layers of one track share its media section, and without one nothing
    /// distinguishes layers from tracks.
    mutating func note(_ entries: [OutboundDelta], _ report: borrowing StatsReport, at time: Double) {
        let sent = MediaTrack.sent(entries, report)
        note(sent.contains { $0.mid == nil } ? [] : sent, at: time)
    }

    private mutating func note(_ seen: [MediaTrack], at time: Double) {
        for track in seen {
            if let index = tracks.firstIndex(where: { $0.track.isSame(as: track) }) {
                tracks[index].lastSeen = time
            } else if tracks.count < Self.most {
                tracks.append((track, time))
            }
        }
        tracks.removeAll { $0.lastSeen < time - Self.memory }
        // A track that replaces another is not one of several.
        if Self.hasSeveral(tracks.filter { $0.lastSeen == time }.map(\.track)) { isShared = true }
        if !Self.hasSeveral(tracks.map(\.track)) { isShared = false }
        present = isShared ? tracks.filter { $0.lastSeen == time }.map(\.track) : []
    }

    private static func hasSeveral(_ tracks: [MediaTrack]) -> Bool {
        MediaKind.allCases.contains { kind in tracks.count { $0.kind == kind } > 1 }
    }
}

extension MediaTrack {
    /// The track of a received entry.
    init(_ entry: InboundDelta, _ report: borrowing StatsReport) {
        let stats = report.inboundRTP[entry.index]
        self.init(kind: entry.kind, mid: stats.mid, trackIdentifier: stats.trackIdentifier, ssrc: stats.ssrc)
    }

    /// The tracks of sent entries; the layers of one have its media section.
    static func sent(_ entries: [OutboundDelta], _ report: borrowing StatsReport) -> [MediaTrack] {
        var tracks: [MediaTrack] = []
        for entry in entries {
            let stats = report.outboundRTP[entry.index]
            let source = report.source(of: stats, entry.kind)
            let track = MediaTrack(
                kind: entry.kind, mid: stats.mid,
                trackIdentifier: source.flatMap { report.mediaSources[$0].trackIdentifier }, ssrc: stats.ssrc)
            if !tracks.contains(where: { $0.isSame(as: track) }) { tracks.append(track) }
        }
        return tracks
    }

    /// Whether both name one track: by media section, else by identifier, else by SSRC.
    func isSame(as other: MediaTrack) -> Bool {
        guard kind == other.kind else { return false }
        if let mid, let otherMid = other.mid { return mid == otherMid }
        if let trackIdentifier, let otherIdentifier = other.trackIdentifier {
            return trackIdentifier == otherIdentifier
        }
        return ssrc == other.ssrc
    }

    /// Whether a received entry belongs to the track.
    func covers(_ entry: InboundDelta, _ stats: borrowing InboundRTPStats) -> Bool {
        isSame(
            as: MediaTrack(
                kind: entry.kind, mid: stats.mid, trackIdentifier: stats.trackIdentifier, ssrc: stats.ssrc))
    }

    /// Whether a sent entry belongs to the track.
    func covers(_ entry: OutboundDelta, _ stats: borrowing OutboundRTPStats) -> Bool {
        isSame(as: MediaTrack(kind: entry.kind, mid: stats.mid, ssrc: stats.ssrc))
    }
}
