// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Properties of a stream that can change while it is published.
public enum StreamProperty: String, Sendable, CaseIterable {
    /// ``MediaStream/name``.
    case name
    /// ``MediaStream/hasAudio``.
    case hasAudio
    /// ``MediaStream/hasVideo``.
    case hasVideo
    /// ``MediaStream/videoDimensions``.
    case videoDimensions
    /// ``MediaStream/videoType``.
    case videoType
}

extension MediaStream {
    /// The properties in which it differs from an older value of the same stream.
    func changes(since old: MediaStream) -> Set<StreamProperty> {
        var changes: Set<StreamProperty> = []
        if name != old.name { changes.insert(.name) }
        if hasAudio != old.hasAudio { changes.insert(.hasAudio) }
        if hasVideo != old.hasVideo { changes.insert(.hasVideo) }
        if videoDimensions != old.videoDimensions { changes.insert(.videoDimensions) }
        if videoType != old.videoType { changes.insert(.videoType) }
        return changes
    }
}
