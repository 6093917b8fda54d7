// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Audio or video.
public enum MediaKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Audio.
    case audio
    /// Video.
    case video
}
