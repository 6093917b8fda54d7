// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What an app says of a track of an observed call: both ends of a stream are one where they say the same, whatever SSRC
/// a server gives it.
package struct TrackTag: Sendable, Hashable {
    /// Most tracks of a peer connection that something may be said of.
    package static let countLimit = 256
    /// Longest identifier of a track, bytes: an engine's own, usually a UUID.
    package static let identifierLimit = 128

    /// Most bytes of all that is said of a peer connection's tracks.
    package static let byteLimit = 16_384

    /// The participant that sends it, as its token names it; `nil` if that is not said, or the track is the own one.
    package var participant: String?
    /// What the app calls the track, the same at both ends, such as `camera` or the id that a server gave it; `nil` if
    /// nothing.
    package var name: String?

    /// Says something of a track.
    package init(participant: String? = nil, name: String? = nil) {
        self.participant = participant
        self.name = name
    }
}

extension TrackTag {
    /// Reads what is said of tracks, by their `trackIdentifier`; `nil` if nothing is.
    ///
    /// - Throws: ``ServerError`` with the code `malformed`.
    static func all(in value: StatsValue?) throws(ServerError) -> [String: TrackTag]? {
        guard let value else { return nil }
        guard case .object(let members) = value, members.count <= countLimit else {
            throw ServerError(.malformed, "\"tracks\" is an object of \(countLimit) tracks at most")
        }
        var tags: [String: TrackTag] = [:]
        var bytes = 0
        for member in members {
            let tag = TrackTag(
                participant: try text("participant", in: member.value),
                name: try text("name", in: member.value))
            guard member.name.utf8.count <= identifierLimit, tag != TrackTag() else {
                throw ServerError(
                    .malformed,
                    "a track has an identifier of \(identifierLimit) bytes at most, and a participant or a name"
                )
            }
            bytes += [member.name, tag.participant ?? "", tag.name ?? ""].reduce(0) { $0 + $1.utf8.count }
            tags[member.name] = tag
        }
        guard bytes <= byteLimit else {
            throw ServerError(.malformed, "\"tracks\" has \(byteLimit) bytes of names at most")
        }
        return tags
    }

    private static func text(_ member: String, in value: StatsValue) throws(ServerError) -> String? {
        guard let text = value[member]?.text else { return nil }
        guard (1...SessionProtocol.nameLimit).contains(text.utf8.count) else {
            throw ServerError(
                .malformed, "a track's \"\(member)\" has 1 to \(SessionProtocol.nameLimit) bytes")
        }
        return text
    }
}
