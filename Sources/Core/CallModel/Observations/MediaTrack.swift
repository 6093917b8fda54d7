// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One track of a peer connection that sends or receives several of a kind, as a conference does.
public struct MediaTrack: Sendable, Hashable, Codable {
    /// Audio or video.
    public var kind: MediaKind
    /// The media section that carries it (`mid`); `nil` if the engine does not report it.
    public var mid: String?
    /// The track's `id` in the app that receives or sends it (`trackIdentifier`); `nil` if the engine does not report it.
    public var trackIdentifier: String?
    /// The SSRC when the track was first seen; `nil` if the engine does not report it.
    public var ssrc: UInt64?

    /// Names a track.
    public init(kind: MediaKind, mid: String? = nil, trackIdentifier: String? = nil, ssrc: UInt64? = nil) {
        self.kind = kind
        self.mid = mid
        self.trackIdentifier = trackIdentifier
        self.ssrc = ssrc
    }

    /// What people call it, such as `video, mid 3`.
    public var label: String {
        if let mid { return "\(kind.rawValue), mid \(mid)" }
        if let trackIdentifier { return "\(kind.rawValue), track \(trackIdentifier)" }
        return ssrc.map { "\(kind.rawValue), SSRC \($0)" } ?? kind.rawValue
    }
}
