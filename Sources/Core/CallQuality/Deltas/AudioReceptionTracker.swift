// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// The readings of received audio that are about samples and not about packets.
struct AudioReceptionTracker: Sendable {
    private var samples = Counter()
    private var concealed = Counter()
    private var silentConcealed = Counter()
    private var concealments = Counter()
    private var energy = Accumulator()
    private var duration = Accumulator()
    private var jitterBufferDelay = Accumulator()
    private var jitterBufferMinimumDelay = Accumulator()
    private var emitted = Counter()

    mutating func advance(to entry: borrowing InboundRTPStats, _ tick: Tick, into result: inout InboundDelta)
    {
        result.samples = samples.advance(to: entry.totalSamplesReceived, tick)
        result.concealed = concealed.advance(to: entry.concealedSamples, tick)
        result.silentConcealed = silentConcealed.advance(to: entry.silentConcealedSamples, tick)
        result.concealments = concealments.advance(to: entry.concealmentEvents, tick)
        result.audioEnergy = energy.advance(to: entry.totalAudioEnergy)
        result.audioDuration = duration.advance(to: entry.totalSamplesDuration)
        result.jitterBufferDelay = jitterBufferDelay.advance(to: entry.jitterBufferDelay)
        result.jitterBufferMinimumDelay = jitterBufferMinimumDelay.advance(to: entry.jitterBufferMinimumDelay)
        result.emitted = emitted.advance(to: entry.jitterBufferEmittedCount, tick)
    }

    mutating func forgetTimes() {
        samples.forgetTime()
        concealed.forgetTime()
        silentConcealed.forgetTime()
        concealments.forgetTime()
        emitted.forgetTime()
    }

    mutating func restart() {
        samples.restart()
        concealed.restart()
        silentConcealed.restart()
        concealments.restart()
        energy.restart()
        duration.restart()
        jitterBufferDelay.restart()
        jitterBufferMinimumDelay.restart()
        emitted.restart()
    }
}
