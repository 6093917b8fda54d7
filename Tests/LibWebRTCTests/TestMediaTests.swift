// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing

@Suite("Test media")
struct TestMediaTests {
    /// A luma plane with some frame on it.
    struct Luma {
        var width: Int, height: Int
        var pixels: [UInt8]

        init(width: Int, height: Int, _ paint: (Int, Int) -> UInt8 = { x, y in UInt8((x * 3 + y * 5) % 256) })
        {
            self.width = width
            self.height = height
            pixels = (0..<width * height).map { paint($0 % width, $0 / width) }
        }

        mutating func write(_ number: UInt32) {
            sl_frame_number_write(&pixels, Int32(width), Int32(width), Int32(height), number)
        }

        func read() -> Int64 {
            sl_frame_number_read(pixels, Int32(width), Int32(width), Int32(height))
        }

        /// Bilinear, as an encoder's scaler would do.
        func scaled(to width: Int, _ height: Int) -> Luma {
            Luma(width: width, height: height) { x, y in
                let fromX = (Double(x) + 0.5) * Double(self.width) / Double(width) - 0.5
                let fromY = (Double(y) + 0.5) * Double(self.height) / Double(height) - 0.5
                let left = max(0, Int(fromX)), top = max(0, Int(fromY))
                let right = min(left + 1, self.width - 1), bottom = min(top + 1, self.height - 1)
                let corners = [(left, top), (right, top), (left, bottom), (right, bottom)]
                return UInt8(corners.map { Int(self.pixels[$1 * self.width + $0]) }.reduce(0, +) / 4)
            }
        }
    }

    @Test(
        "a frame number survives scaling", arguments: [0, 255, 1_234_567, 16_777_215] as [UInt32],
        [(320, 180), (160, 90), (480, 270), (214, 120)])
    func frameNumber(number: UInt32, size: (Int, Int)) {
        var image = Luma(width: 640, height: 360)
        image.write(number)
        #expect(image.scaled(to: size.0, size.1).read() == Int64(number))
    }

    @Test("numbers begin again after 2^24")
    func wraps() {
        var image = Luma(width: 320, height: 180)
        image.write(1 << 24 | 5)
        #expect(image.read() == 5)
    }

    @Test("frames without a number show none")
    func noNumber() {
        #expect(Luma(width: 640, height: 360) { _, _ in 16 }.read() == -1)
        #expect(Luma(width: 640, height: 360) { _, _ in 235 }.read() == -1)
        var tiny = Luma(width: 32, height: 32)
        tiny.write(7)
        #expect(tiny.read() == -1)
        var random = SeededRandom(seed: 5)
        let noise = (0..<1_000).filter { _ in
            Luma(width: 64, height: 4) { _, _ in Bool.random(using: &random) ? 16 : 235 }.read() >= 0
        }
        // The check sum has 8 bits: about 4 of 1000.
        #expect(noise.count < 20)
    }

    /// What a signal sounds like, as the root mean square of each 10 ms.
    static func levels(of signal: sl_audio_signal, seconds: Int) -> [Double] {
        var signal = signal
        var samples = [Float](repeating: 0, count: seconds * 48_000)
        sl_audio_signal_render(&signal, &samples, samples.count)
        return stride(from: 0, to: samples.count, by: 480).map { start in
            let energy = samples[start..<start + 480].reduce(0) { $0 + Double($1) * Double($1) }
            return (energy / 480).squareRoot()
        }
    }

    static func signal(_ kind: Int, frequency: Double = 440, seed: UInt64 = 1) -> sl_audio_signal {
        sl_audio_signal(kind: Int32(kind), frequency_hz: frequency, seed: seed)
    }

    @Test("a tone has an even level, silence has none, an unknown kind is silence")
    func simpleSignals() {
        let tone = Self.levels(of: Self.signal(SL_AUDIO_TONE, frequency: 1_000), seconds: 1)
        #expect(tone.allSatisfy { abs($0 - 0.707) < 0.01 })
        #expect(Self.levels(of: Self.signal(SL_AUDIO_SILENCE), seconds: 1).allSatisfy { $0 == 0 })
        #expect(Self.levels(of: Self.signal(99), seconds: 1).allSatisfy { $0 == 0 })
    }

    @Test("speech has syllables and pauses like a talker's", arguments: [1, 2, 3] as [UInt64])
    func speech(seed: UInt64) {
        let levels = Self.levels(of: Self.signal(SL_AUDIO_SPEECH, seed: seed), seconds: 30)
        let silent = levels.filter { $0 < 0.001 }.count
        #expect((0.15...0.6).contains(Double(silent) / Double(levels.count)))
        #expect((0.1...1).contains(levels.max() ?? 0))
        let pauses = levels.split(whereSeparator: { $0 >= 0.001 }).filter { $0.count >= 25 }
        #expect(pauses.count >= 8)
    }

    @Test("equal seeds speak alike, others do not")
    func speechSeeds() {
        let first = Self.levels(of: Self.signal(SL_AUDIO_SPEECH, seed: 1), seconds: 2)
        #expect(first == Self.levels(of: Self.signal(SL_AUDIO_SPEECH, seed: 1), seconds: 2))
        #expect(first != Self.levels(of: Self.signal(SL_AUDIO_SPEECH, seed: 2), seconds: 2))
    }

    @Test(
        "a test card of an impossible size is refused", arguments: [(0, 0), (8, 360), (640, 5_000), (-1, 10)])
    func impossibleCard(width: Int32, height: Int32) {
        var error = sl_error()
        var card = sl_test_card(width: width, height: height, fps: 30, is_screen: false)
        let source = sl_test_card_create(&card, &error)
        #expect(source == nil)
        #expect(Int(error.status) == SL_INVALID_ARGUMENT)
    }

    @Test("null handles do nothing")
    func nulls() {
        sl_video_source_destroy(nil)
        sl_audio_source_destroy(nil)
        sl_video_source_set_rate(nil, 5)
        sl_audio_source_set_level(nil, 1)
        sl_peer_destroy(nil)
        sl_peer_close(nil)
        sl_sender_destroy(nil)
        sl_data_channel_destroy(nil)
        sl_remote_track_destroy(nil)
        sl_engine_destroy(nil)
        sl_conditioner_destroy(nil)
        sl_stats_report_destroy(nil)
        #expect(sl_live_objects(-1) == -1)
        #expect(sl_live_objects(Int32(SL_LIVE_KIND_COUNT)) == -1)
        #expect(sl_abi_version() == UInt32(SL_ABI_VERSION))
    }
}
