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

    /// Where those of them are that the newest report has.
    private(set) var present: [Int] = []

    /// For each of them, where the streams are that the newest report has of it.
    private(set) var streams: [[Int]] = []

    /// Takes the received streams of a report.
    mutating func note(_ entries: [InboundDelta], _ report: borrowing StatsReport, at time: Double) {
        let seen = entries.map { MediaTrack($0, report) }
        note(seen, at: time)
        streams = Array(repeating: [], count: isShared ? tracks.count : 0)
        var guess = 0
        for (index, track) in seen.enumerated() where isShared {
            guard let place = place(of: track, &guess) else { continue }
            streams[place].append(index)
        }
    }

    /// Takes the sent streams of a report; layers of one track share its media section, and without one nothing
    /// distinguishes layers from tracks.
    mutating func note(_ entries: [OutboundDelta], _ report: borrowing StatsReport, at time: Double) {
        let sent = MediaTrack.sent(entries, report)
        note(sent.contains { $0.mid == nil } ? [] : sent, at: time)
    }

    private mutating func note(_ seen: [MediaTrack], at time: Double) {
        var guess = 0
        for track in seen {
            if let place = place(of: track, &guess) {
                tracks[place].lastSeen = time
            } else if tracks.count < Self.most {
                tracks.append((track, time))
            }
        }
        tracks.removeAll { $0.lastSeen < time - Self.memory }
        // A track that replaces another is not one of several.
        if Self.hasSeveral(tracks.filter { $0.lastSeen == time }.map(\.track)) { isShared = true }
        if !Self.hasSeveral(tracks.map(\.track)) { isShared = false }
        present = isShared ? tracks.indices.filter { tracks[$0].lastSeen == time } : []
    }

    /// Where a track is.
    ///
    /// - Parameter guess: Where it is looked for first; becomes the next place, since engines keep to an order.
    private func place(of track: MediaTrack, _ guess: inout Int) -> Int? {
        let isGuessed = guess < tracks.count && tracks[guess].track.isSame(as: track)
        let place = isGuessed ? guess : tracks.firstIndex { $0.track.isSame(as: track) }
        guess = (place ?? guess) + 1
        return place
    }

    private static func hasSeveral(_ tracks: [MediaTrack]) -> Bool {
        MediaKind.allCases.contains { kind in tracks.count { $0.kind == kind } > 1 }
    }
}

extension MediaTrack {
    /// The track of a received entry.
    init(_ entry: InboundDelta, _ report: borrowing StatsReport) {
        self.init(entry, report.inboundRTP[entry.index])
    }

    private init(_ entry: InboundDelta, _ stats: borrowing InboundRTPStats) {
        self.init(kind: entry.kind, mid: stats.mid, trackIdentifier: stats.trackIdentifier, ssrc: stats.ssrc)
    }

    /// The tracks of sent entries; the layers of one have its media section.
    static func sent(_ entries: [OutboundDelta], _ report: borrowing StatsReport) -> [MediaTrack] {
        var tracks: [MediaTrack] = []
        // By index, as entries are large.
        for place in entries.indices {
            let (index, kind) = (entries[place].index, entries[place].kind)
            let source = report.source(of: report.outboundRTP[index], kind)
            let track = MediaTrack(
                kind: kind, mid: report.outboundRTP[index].mid,
                trackIdentifier: source.flatMap { report.mediaSources[$0].trackIdentifier },
                ssrc: report.outboundRTP[index].ssrc)
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

    /// Whether a received entry is the track's.
    package func isOf(_ stats: borrowing InboundRTPStats) -> Bool {
        MediaKind(stats.kind).map {
            isSame(
                as: MediaTrack(
                    kind: $0, mid: stats.mid, trackIdentifier: stats.trackIdentifier, ssrc: stats.ssrc))
        } ?? false
    }

    /// Whether a sent entry belongs to the track.
    func covers(_ entry: OutboundDelta, _ stats: borrowing OutboundRTPStats) -> Bool {
        isSame(as: MediaTrack(kind: entry.kind, mid: stats.mid, ssrc: stats.ssrc))
    }
}
