// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Foundation
import TestSupport
import Testing

@Suite("WAVE files")
struct WavFileTests {
    @Test("48 kHz mono is read as it is")
    func plain() throws {
        let samples = try WavFile.read(WavFile.make(samples: [0, 16_384, -32_768, 32_767])).get()
        #expect(samples == [0, 0.5, -1, 32_767.0 / 32_768])
    }

    @Test("stereo is mixed down")
    func stereo() throws {
        let file = WavFile.make(samples: [8_192, 16_384, -8_192, 8_192], channels: 2)
        #expect(try WavFile.read(file).get() == [0.375, 0])
    }

    @Test(
        "other rates keep pitch, level and length",
        arguments: [UInt32(8_000), 11_025, 16_000, 22_050, 44_100])
    func resampling(rate: UInt32) throws {
        let samples = try WavFile.read(WavFile.tone(1_000, rate: rate)).get()
        #expect(abs(samples.count - 48_000) <= 1)
        let middle = Array(samples[4_800..<43_200])
        let energy = middle.reduce(0) { $0 + Double($1) * Double($1) } / Double(middle.count)
        #expect(abs((energy * 2).squareRoot() - 0.5) < 0.01)
        let crossings = zip(middle, middle.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
        #expect(abs(crossings - 800) <= 1)
    }

    @Test("a recording that was cut off plays as far as it goes")
    func truncatedData() throws {
        let file = WavFile.make(samples: Array(repeating: 1_000, count: 1_000))
        #expect(try WavFile.read(Array(file.dropLast(1_001))).get().count == 499)
    }

    @Test(
        "files of other kinds are refused with what is wrong",
        arguments: [
            (WavFile.make(samples: [1], bits: 8), SL_UNSUPPORTED, "16-bit"),
            (WavFile.make(samples: [1], encoding: 3), SL_UNSUPPORTED, "PCM"),
            (WavFile.make(samples: [1, 2, 3], channels: 3), SL_UNSUPPORTED, "stereo"),
            (WavFile.make(samples: [1], rate: 96_000), SL_UNSUPPORTED, "48 kHz"),
            (WavFile.make(samples: [1], rate: 4_000), SL_UNSUPPORTED, "8 to"),
            (WavFile.make(samples: []), SL_SYNTAX, "no samples"),
            (Array("RIFF0000WAVE".utf8), SL_SYNTAX, "format chunk"),
            (Array("not a wave file".utf8), SL_SYNTAX, "not a WAVE"),
            ([], SL_SYNTAX, "not a WAVE"),
        ])
    func refused(file: [UInt8], status: Int, text: String) throws {
        guard case .failure(let error) = try WavFile.read(file) else {
            Issue.record("should have been refused")
            return
        }
        #expect(error.status == status)
        #expect(error.message.contains(text))
    }

    @Test("a missing file and a directory are errors of reading", arguments: ["/no/such.wav", "/tmp", ""])
    func unreadable(path: String) {
        guard case .failure(let error) = WavFile.read(path: path) else {
            Issue.record("should have been refused")
            return
        }
        #expect(error.status == SL_IO)
    }

    @Test("whatever is done to the bytes of a file, reading it ends in samples or an error")
    func fuzz() throws {
        var random = SeededRandom(seed: 11)
        let original = WavFile.tone(440, rate: 8_000)
        for _ in 0..<300 {
            var file = Array(original.prefix(Int.random(in: 0...2_000, using: &random)))
            for _ in 0..<Int.random(in: 1...8, using: &random) where !file.isEmpty {
                let at = Int.random(in: 0..<min(file.count, 80), using: &random)
                file[at] = UInt8.random(in: 0...255, using: &random)
            }
            switch try WavFile.read(file) {
            case .success(let samples): #expect(samples.allSatisfy { $0.isFinite })
            case .failure(let error): #expect(!error.message.isEmpty)
            }
        }
    }
}
