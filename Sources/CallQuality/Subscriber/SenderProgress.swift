// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Whether the sender of a leg sent frames, from what it says of itself.
struct SenderProgress: Sendable {
    let ageLimit: Double
    private var frames: UInt64?

    init(ageLimit: Double) { self.ageLimit = ageLimit }

    /// Whether frames were sent since the last tick; `nil` if nobody says.
    mutating func sentFrames(_ remote: RemoteFacts) -> Bool? {
        let now =
            remote.leg?.value(youngerThan: ageLimit)?.videoFramesSent
            ?? remote.publisher?.value(youngerThan: ageLimit)?.videoFramesSent
        defer { frames = now ?? frames }
        guard let now, let frames else { return nil }
        return now != frames
    }
}
