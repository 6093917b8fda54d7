// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What was measured at one moment of the quality stage, over the time since the moment before.
public struct NetworkTestSample: Sendable, Equatable, Codable {
    /// ms since the test began.
    public var time: Double
    /// What was going on.
    public var step: NetworkTestStep
    /// Everything that the media router received, IP and UDP headers included, bps.
    public var uplinkBitrate: Double?
    /// Everything that this client received, IP and UDP headers included, bps.
    public var downlinkBitrate: Double?
    /// Network loss on the way to the media router, 0 to 1.
    public var uplinkLoss: Double?
    /// Network loss on the way from the media router, 0 to 1.
    public var downlinkLoss: Double?
    /// Seconds, to the media router and back.
    public var roundTripTime: Double?

    /// Names a moment.
    public init(time: Double, step: NetworkTestStep) {
        self.time = time
        self.step = step
    }
}
