// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// The readings of received video that are about frames and not about packets.
struct VideoReceptionTracker: Sendable {
    private var frames = Counter()
    private var framesReceived = Counter()
    private var framesDropped = Counter()
    private var keyFrames = Counter()
    private var quantization = Counter()
    private var freezes = Counter()
    private var freezeDuration = Accumulator()
    private var inferredFreezes = InferredFreezes()
    private var pauses = Counter()
    private var pauseDuration = Accumulator()
    private var decodeTime = Accumulator()

    mutating func advance(to entry: borrowing InboundRTPStats, _ tick: Tick, into result: inout InboundDelta)
    {
        result.frames = frames.advance(to: entry.framesDecoded, tick)
        result.framesReceived = framesReceived.advance(to: entry.framesReceived, tick)
        result.framesDropped = framesDropped.advance(to: entry.framesDropped, tick)
        result.keyFrames = keyFrames.advance(to: entry.keyFramesDecoded, tick)
        result.quantization = quantization.advance(to: entry.qpSum, tick)
        result.freezes = freezes.advance(to: entry.freezeCount, tick)
        result.freezeDuration = freezeDuration.advance(to: entry.totalFreezesDuration)
        inferFreezes(entry, tick, into: &result)
        result.pauses = pauses.advance(to: entry.pauseCount, tick)
        result.pauseDuration = pauseDuration.advance(to: entry.totalPausesDuration)
        result.decodeTime = decodeTime.advance(to: entry.totalDecodeTime)
    }

    private mutating func inferFreezes(
        _ entry: borrowing InboundRTPStats, _ tick: Tick, into result: inout InboundDelta
    ) {
        // The sums are followed in any case: an engine may omit a count for once.
        let longest = inferredFreezes.advance(to: entry, frames: result.frames?.amount)
        guard entry.freezeCount == nil, entry.totalSquaredInterFrameDelay != nil else { return }
        result.freezes = Increment(amount: longest == nil ? 0 : 1, seconds: tick.interval)
        result.freezeDuration = longest ?? 0
    }

    mutating func forgetTimes() {
        frames.forgetTime()
        framesReceived.forgetTime()
        framesDropped.forgetTime()
        keyFrames.forgetTime()
        quantization.forgetTime()
        freezes.forgetTime()
        pauses.forgetTime()
    }

    mutating func restart() {
        frames.restart()
        framesReceived.restart()
        framesDropped.restart()
        keyFrames.restart()
        quantization.restart()
        freezes.restart()
        freezeDuration.restart()
        inferredFreezes.restart()
        pauses.restart()
        pauseDuration.restart()
        decodeTime.restart()
    }
}
