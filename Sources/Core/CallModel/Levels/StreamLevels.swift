// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The network quality of one stream in its direction.
public struct StreamLevels: Sendable, Equatable, Codable {
    /// Of its audio; `nil` if it has none.
    public var audio: NetworkQualityDirectionStats?
    /// Of its video; `nil` if it has none.
    public var video: NetworkQualityDirectionStats?

    /// Creates a stream's quality.
    public init(audio: NetworkQualityDirectionStats? = nil, video: NetworkQualityDirectionStats? = nil) {
        self.audio = audio
        self.video = video
    }

    /// The lower of two streams' levels, per medium.
    package func lowest(with other: StreamLevels) -> StreamLevels {
        StreamLevels(audio: Self.lower(audio, other.audio), video: Self.lower(video, other.video))
    }

    private static func lower(
        _ left: NetworkQualityDirectionStats?, _ right: NetworkQualityDirectionStats?
    ) -> NetworkQualityDirectionStats? {
        guard let left, let right else { return left ?? right }
        return NetworkQualityLevel.lowest([left.level, right.level]) == left.level ? left : right
    }
}
