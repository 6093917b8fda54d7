// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Follows whether a video source gives frames, and whether its encoder takes them.
struct SourceProgress: Sendable {
    private var silent = Lasting()
    private var unencoded = Lasting()

    /// Whether the source has given no frames for long.
    var isSourceDead: Bool { silent.isTrue }
    /// Whether an encoder that has a target, and frames to encode, has never encoded one.
    var isEncoderDead: Bool { unencoded.isTrue }

    /// How long a camera may give nothing, in seconds.
    private static let cameraPause = 5.0
    /// Frames per second of a source that gives an encoder something to do, and for how many seconds it may do nothing.
    private static let someFrames = 5.0
    private static let encoderStart = 8.0

    /// Takes a tick.
    ///
    /// - Parameter isExpected: Whether frames are due; a pause that is over counts for nothing afterwards.
    mutating func handle(
        _ video: MediaFigures?, _ sum: OutboundAggregate, _ report: borrowing StatsReport,
        isExpected: Bool, at tick: Tick
    ) {
        let rate = isExpected ? video?.capturedFrameRate : nil
        silent.handle(rate.map { $0 <= 0 } ?? false, for: Self.cameraPause, at: tick)
        let isIdle = video?.framesSent == 0 && sum.entry.map { Self.isIdle(report.outboundRTP[$0]) } ?? false
        unencoded.handle(isIdle && rate ?? 0 >= Self.someFrames, for: Self.encoderStart, at: tick)
    }

    /// Whether an encoder is to work, and never has.
    private static func isIdle(_ stats: borrowing OutboundRTPStats) -> Bool {
        stats.active == true && stats.targetBitrate?.ifSane ?? 0 > 0 && stats.framesEncoded == 0
    }
}
