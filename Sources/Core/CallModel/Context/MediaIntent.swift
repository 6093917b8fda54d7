// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What is wanted of one stream: what its owner knows and no report contains.
///
/// Everything omitted is unknown, and rules that need it answer `unknown`; a foreign source may omit all of
/// it.
public struct MediaIntent: Sendable, Equatable, Codable {
    /// Which end of the stream this is; `nil` if unknown.
    public var role: StreamRole?
    /// How media is routed; `nil` if unknown.
    public var routing: MediaRouting?
    /// What is wanted of the audio; `nil` if unknown.
    ///
    /// An ``AudioIntent`` that is not enabled says "no audio".
    public var audio: AudioIntent?
    /// What is wanted of the video; `nil` if unknown.
    ///
    /// A ``VideoIntent`` that is not enabled says "no video".
    public var video: VideoIntent?

    /// Creates an intent; whatever is omitted is unknown.
    public init(
        role: StreamRole? = nil, routing: MediaRouting? = nil, audio: AudioIntent? = nil,
        video: VideoIntent? = nil
    ) {
        self.role = role
        self.routing = routing
        self.audio = audio
        self.video = video
    }
}
