// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What an app says of a track of an observed call: both ends of a stream are one where they say the same, whatever SSRC
/// a server gives it.
package struct TrackTag: Sendable, Hashable, Encodable {
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
        guard case .object(let members) = value, members.count <= countLimit else { throw tooMany }
        var tags: [String: TrackTag] = [:]
        for member in members {
            tags[member.name] = TrackTag(
                participant: member.value["participant"]?.text, name: member.value["name"]?.text)
        }
        try check(tags)
        return tags
    }

    /// Checks what an app says of the tracks of a peer connection, by their `trackIdentifier`.
    ///
    /// - Throws: ``ServerError`` with the code `malformed`.
    package static func check(_ tags: [String: TrackTag]) throws(ServerError) {
        guard tags.count <= countLimit else { throw tooMany }
        var bytes = 0
        for (identifier, tag) in tags {
            guard identifier.utf8.count <= identifierLimit, tag != TrackTag() else {
                throw ServerError(
                    .malformed,
                    "a track has an identifier of \(identifierLimit) bytes at most, and a participant or a name"
                )
            }
            try check(tag.participant, "participant")
            try check(tag.name, "name")
            bytes += [identifier, tag.participant ?? "", tag.name ?? ""].reduce(0) { $0 + $1.utf8.count }
        }
        guard bytes <= byteLimit else {
            throw ServerError(.malformed, "the names of tracks have \(byteLimit) bytes at most")
        }
    }

    private static var tooMany: ServerError {
        ServerError(
            .malformed,
            "something may be said of \(countLimit) tracks at most, in an object by their identifiers")
    }

    private static func check(_ text: String?, _ member: String) throws(ServerError) {
        guard let text, !(1...SessionProtocol.nameLimit).contains(text.utf8.count) else { return }
        throw ServerError(.malformed, "a track's \"\(member)\" has 1 to \(SessionProtocol.nameLimit) bytes")
    }
}
