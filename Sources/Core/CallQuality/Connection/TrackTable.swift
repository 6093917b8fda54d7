// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// The tracks that a direction of a peer connection has, where there are several of a kind.
struct TrackTable: Sendable {
    /// Tracks that are distinguished; a conference has a few dozen.
    private static let most = 256

    private var tracks: [MediaTrack] = []
    /// Kinds of which there were several at once: one of them that is left is still a track.
    private var shared: Set<MediaKind> = []

    /// The tracks of the kinds that share the peer connection with others.
    var all: [MediaTrack] { tracks.filter { shared.contains($0.kind) } }

    /// Takes the received streams of a report.
    mutating func note(_ entries: [InboundDelta], _ report: borrowing StatsReport) {
        for entry in entries {
            note(MediaTrack(entry, report))
        }
    }

    /// Takes the sent streams of a report; layers of one track share its media section.
    mutating func note(_ entries: [OutboundDelta], _ report: borrowing StatsReport) {
        for track in MediaTrack.sent(entries, report) where track.mid != nil { note(track) }
    }

    private mutating func note(_ track: MediaTrack) {
        guard !tracks.contains(where: { $0.isSame(as: track) }), tracks.count < Self.most else { return }
        tracks.append(track)
        if tracks.count(where: { $0.kind == track.kind }) > 1 { shared.insert(track.kind) }
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
