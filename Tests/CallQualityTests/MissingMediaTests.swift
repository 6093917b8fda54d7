// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("What is missing of audio and video")
struct MissingMediaTests {
    private static func audio(
        packets: UInt64 = 50, lost: UInt64 = 0, concealed: UInt64 = 0, silent: UInt64 = 0, gaps: UInt64? = 0
    ) -> InboundDelta {
        var delta = InboundDelta(index: 0, key: 1, kind: .audio)
        delta.packets = Increment(amount: packets)
        delta.lost = lost
        delta.samples = Increment(amount: 48_000)
        delta.concealed = Increment(amount: concealed)
        delta.silentConcealed = Increment(amount: silent)
        delta.concealments = gaps.map { Increment(amount: $0) }
        return delta
    }

    /// A meter that takes a tick each second.
    private struct Seconds {
        private var meter = ConcealmentMeter()
        private var time = 0.0

        /// The share of the next second that is missing.
        mutating func missing(_ delta: InboundDelta, isOut: Bool = false, isQuiet: Bool = false) -> Double? {
            let tick = Tick(time: time + 1000, previous: time)
            time = tick.time
            _ = meter.share(delta, at: tick, path: (isOut: isOut, isQuiet: isQuiet))
            return meter.missing
        }
    }

    /// A second whose first half comes, one whose second half comes, and one between.
    private static let cut = audio(packets: 25, concealed: 24_000, silent: 19_200, gaps: 1)
    private static let back = audio(packets: 25, concealed: 24_000, silent: 24_000)
    private static let nothing = audio(packets: 0, concealed: 48_000, silent: 48_000)

    @Test("Silence after audible concealment is missing until packets come again, within a tick as well")
    func longGap() {
        var seconds = Seconds()
        #expect(seconds.missing(Self.audio()) == nil)
        #expect(seconds.missing(Self.audio()) == 0)
        #expect(seconds.missing(Self.audio(packets: 10, concealed: 38_400, silent: 33_600, gaps: 1)) == 0.8)
        #expect(seconds.missing(Self.nothing, isOut: true) == 1)
        #expect(seconds.missing(Self.back) == 0.5)
        #expect(seconds.missing(Self.audio(concealed: 4800, silent: 4800, gaps: 1)) == 0)
    }

    @Test("A gap of two ticks that both have packets lasts until it ends")
    func shortGap() {
        var seconds = Seconds()
        _ = seconds.missing(Self.audio())
        #expect(seconds.missing(Self.cut) == 0.5)
        #expect(seconds.missing(Self.back) == 0.5)
        #expect(seconds.missing(Self.back) == 0)
    }

    @Test(
        "Silence that begins after a gap is none of it, nor is what may have begun then",
        arguments: [3, nil] as [UInt64?])
    func silenceAfterGap(gaps: UInt64?) {
        var seconds = Seconds()
        _ = seconds.missing(Self.audio())
        #expect(seconds.missing(Self.audio(packets: 48, concealed: 1920, gaps: 1)) == 0.04)
        let silence = Self.audio(packets: 3, concealed: 40_800, silent: 40_800, gaps: gaps)
        #expect(seconds.missing(silence) == 0)
    }

    @Test(
        "Audio that stays away over a path that is not out may have been stopped: it may not be missing",
        arguments: [1, 2, 12])
    func pause(length: Int) {
        var seconds = Seconds()
        _ = seconds.missing(Self.audio())
        _ = seconds.missing(Self.cut)
        for _ in 0..<length { #expect(seconds.missing(Self.nothing) == nil) }
        #expect(seconds.missing(Self.back) == 0)
    }

    @Test(
        "What was lost or came late in a gap was missing; of less than half of it the sender sent nothing",
        arguments: [(25, 75, 0.5), (125, 0, 0.5), (25, 50, 0.5), (25, 49, 0)] as [(UInt64, UInt64, Double)])
    func caughtUp(packets: UInt64, lost: UInt64, missing: Double) {
        var seconds = Seconds()
        _ = seconds.missing(Self.audio())
        _ = seconds.missing(Self.cut)
        #expect(seconds.missing(Self.nothing) == nil)
        let back = Self.audio(packets: packets, lost: lost, concealed: 24_000, silent: 24_000)
        #expect(seconds.missing(back) == missing)
    }

    @Test("Whether audio was missing is unknown where nothing else came either, and no loss is counted")
    func quiet() {
        var seconds = Seconds()
        _ = seconds.missing(Self.audio())
        _ = seconds.missing(Self.cut)
        #expect(seconds.missing(Self.nothing, isQuiet: true) == nil)
        #expect(seconds.missing(Self.nothing) == nil)
        #expect(seconds.missing(Self.back) == nil)
        #expect(seconds.missing(Self.audio()) == 0)
        // The next gap is one of its own.
        _ = seconds.missing(Self.cut)
        _ = seconds.missing(Self.nothing)
        #expect(seconds.missing(Self.back) == 0)
    }

    @Test("All of it is missing while the path is out, and until it is back")
    func outage() {
        var seconds = Seconds()
        _ = seconds.missing(Self.audio())
        _ = seconds.missing(Self.cut)
        for _ in 0..<4 { _ = seconds.missing(Self.nothing) }
        for _ in 0..<4 { #expect(seconds.missing(Self.nothing, isOut: true) == 1) }
        #expect(seconds.missing(Self.back) == 0.5)
    }

    @Test("Silence alone is not missing: discontinuous transmission")
    func silence() {
        var seconds = Seconds()
        _ = seconds.missing(Self.audio())
        #expect(seconds.missing(Self.audio(packets: 2, concealed: 40_000, silent: 40_000)) == 0)
        #expect(seconds.missing(Self.nothing) == 0)
    }

    @Test("What is concealed in silence is not concealed audibly")
    func audibly() {
        var meter = ConcealmentMeter()
        _ = meter.share(Self.audio(), at: Tick(time: 1000, previous: 0), path: (isOut: false, isQuiet: false))
        let share = meter.share(
            Self.cut, at: Tick(time: 2000, previous: 1000), path: (isOut: false, isQuiet: false))
        #expect(share == 0.1 && meter.missing == 0.5)
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
