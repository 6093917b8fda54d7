// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import WebRTCStats

/// Which peer connection sends a received stream.
struct StreamOrigin: Sendable, Hashable {
    let sender: ObservedPeer.ID
    /// What the app calls the track at both ends; `nil` if it has no name.
    var track: String?
    /// Whether a server is between both that gave the stream another SSRC.
    var isForwarded = false
}

/// Who sends what a peer connection receives.
struct StreamOrigins: Sendable {
    /// For each entry of `inboundRTP`, `nil` where no one knows it; empty if all are those of the whole.
    let entries: [StreamOrigin?]
    /// The one that sends all of it; `nil` if no one knows, or several do.
    let whole: StreamOrigin?
    /// Whether a server is between the peer connection and those who send.
    let isForwarded: Bool
    /// Whether several send it, and each of them is known.
    let areSeveralKnown: Bool

    init(_ entries: [StreamOrigin?]) {
        let known = entries.compactMap(\.self)
        let senders = Set(known.map(\.sender))
        let tracks = Set(known.map(\.track))
        let isForwarded = known.contains(where: \.isForwarded)
        // Between two clients, what is not known yet is the other one's, too; a server may have it from anyone.
        let isOfOne = senders.count == 1 && (!isForwarded || known.count == entries.count)
        self.isForwarded = isForwarded
        areSeveralKnown = senders.count > 1 && known.count == entries.count
        whole = known.first.flatMap { first in
            guard isOfOne else { return nil }
            let track = tracks.count == 1 ? first.track : nil
            return StreamOrigin(sender: first.sender, track: track, isForwarded: isForwarded)
        }
        self.entries = senders.isEmpty || isOfOne && tracks.count == 1 ? [] : entries
    }
}

extension StreamOrigins {
    /// Who sends a track, or all of it.
    func origin(of track: MediaTrack?, in report: borrowing StatsReport) -> StreamOrigin? {
        guard let track, !entries.isEmpty else { return whole }
        for (index, entry) in entries.enumerated() where track.isOf(report.inboundRTP[index]) {
            return entry
        }
        return nil
    }
}
