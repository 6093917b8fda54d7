// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("What is missing of audio and video")
struct MissingMediaTests {
    private static func audio(
        packets: UInt64 = 50, concealed: UInt64 = 0, silent: UInt64 = 0, gaps: UInt64 = 0
    ) -> InboundDelta {
        var delta = InboundDelta(index: 0, key: 1, kind: .audio)
        delta.packets = Increment(amount: packets)
        delta.samples = Increment(amount: 48_000)
        delta.concealed = Increment(amount: concealed)
        delta.silentConcealed = Increment(amount: silent)
        delta.concealments = Increment(amount: gaps)
        return delta
    }

    @Test("Silence that follows audible concealment is missing until packets come again")
    func longGap() {
        var meter = ConcealmentMeter()
        func missing(_ delta: InboundDelta) -> Double? {
            _ = meter.share(delta)
            return meter.missing
        }
        #expect(missing(Self.audio()) == nil)
        #expect(missing(Self.audio()) == 0)
        #expect(missing(Self.audio(packets: 10, concealed: 38_400, silent: 33_600)) == 0.8)
        #expect(missing(Self.audio(packets: 0, concealed: 48_000, silent: 48_000)) == 1)
        #expect(missing(Self.audio(concealed: 4800, silent: 4800)) == 0)
    }

    @Test("Silence alone is not missing: discontinuous transmission")
    func silence() {
        var meter = ConcealmentMeter()
        _ = meter.share(Self.audio())
        let share = meter.share(Self.audio(packets: 2, concealed: 40_000, silent: 40_000))
        #expect(share == 0 && meter.missing == 0)
    }

    @Test("The ratio of bursts is 1 for single packets, and grows with the gaps")
    func bursts() throws {
        let tick = Tick(time: 2000, previous: 1000)
        // 5 % in gaps of 20 ms, and of 100 ms.
        let single = ConcealmentMeter.burstRatio(Self.audio(concealed: 2400, gaps: 3), tick)
        let longer = ConcealmentMeter.burstRatio(Self.audio(concealed: 4800, gaps: 1), tick)
        #expect(single == 1)
        #expect(abs(longer - 4.5) < 1e-9)
        #expect(ConcealmentMeter.burstRatio(Self.audio(concealed: 2400), tick) == 1)
        #expect(ConcealmentMeter.burstRatio(nil, tick) == 1)
    }

    @Test("A freeze is said once, while it lasts or when it is counted")
    func freezes() {
        var frozen = FrozenShare()
        #expect(frozen.handle(hasFrames: true, counted: 0.4, overdue: 0, interval: 1) == 0.4)
        #expect(frozen.handle(hasFrames: false, counted: 0, overdue: 0.75, interval: 1) == 0.75)
        #expect(frozen.handle(hasFrames: false, counted: 0, overdue: 1.75, interval: 1) == 1)
        #expect(frozen.handle(hasFrames: true, counted: 2.25, overdue: 0, interval: 1) == 0.5)
        #expect(frozen.handle(hasFrames: true, counted: 0.25, overdue: 0, interval: 1) == 0.25)
        #expect(frozen.handle(hasFrames: true, counted: 9, overdue: 0, interval: 1) == 1)
        #expect(frozen.handle(hasFrames: true, counted: 1, overdue: 0, interval: 0) == 0)
    }

    @Test("Quantization is a share of the codec's scale")
    func quantization() {
        var delta = InboundDelta(index: 0, key: 1, kind: .video)
        delta.frames = Increment(amount: 30)
        delta.quantization = Increment(amount: 30 * 51)
        #expect(QuantizerScale.share(delta, codec: "H264") == 1)
        #expect(QuantizerScale.share(delta, codec: "vp9") == 0.2)
        #expect(QuantizerScale.share(delta, codec: "other") == nil)
        #expect(QuantizerScale.share(delta, codec: nil) == nil)
        delta.frames = Increment(amount: 0)
        #expect(QuantizerScale.share(delta, codec: "VP8") == nil)
    }
}
