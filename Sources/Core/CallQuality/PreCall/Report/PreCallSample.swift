// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One measurement of a pre-call test, over the interval since the previous one.
public struct PreCallSample: Sendable, Equatable, Codable {
    /// ms since the test began.
    public var time: Double
    /// The running step.
    public var step: PreCallStep
    /// Everything that the media router received, IP and UDP headers included, bps.
    public var uplinkBitrate: Double?
    /// Everything that the client received, IP and UDP headers included, bps.
    public var downlinkBitrate: Double?
    /// Network loss on the path to the media router, 0 to 1.
    public var uplinkLoss: Double?
    /// Network loss on the path from the media router, 0 to 1.
    public var downlinkLoss: Double?
    /// Seconds, to the media router and back.
    public var roundTripTime: Double?

    /// Names a moment.
    public init(time: Double, step: PreCallStep) {
        self.time = time
        self.step = step
    }
}
