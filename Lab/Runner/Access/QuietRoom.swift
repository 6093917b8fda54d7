// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// What the microphone of someone hears who only listens: the noise of a quiet room.
enum QuietRoom {
    /// What its file is called.
    static let file = "room.wav"

    private static let rate: UInt32 = 48_000
    private static let seconds: UInt32 = 10
    /// Peak of the noise: -66 dB of full scale, which is what microphones in quiet rooms leave; digital silence none does.
    private static let peak: Int16 = 16

    /// The noise as a WAV file: 16 bit, mono.
    static func wav() -> Data {
        var random = SystemRandomNumberGenerator()
        let count = rate * seconds, bytes = count * 2
        var data = Data("RIFF".utf8) + bytesOf(36 + bytes) + Data("WAVEfmt ".utf8)
        data += bytesOf(UInt32(16)) + bytesOf(UInt16(1)) + bytesOf(UInt16(1))
        data += bytesOf(rate) + bytesOf(rate * 2) + bytesOf(UInt16(2)) + bytesOf(UInt16(16))
        data += Data("data".utf8) + bytesOf(bytes)
        for _ in 0..<count { data += bytesOf(Int16.random(in: -peak...peak, using: &random)) }
        return data
    }

    private static func bytesOf(_ value: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: value.littleEndian) { Data($0) }
    }
}
