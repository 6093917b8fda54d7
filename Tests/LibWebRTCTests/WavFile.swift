// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Foundation

/// Builds WAVE files, right and wrong ones.
enum WavFile {
    static func make(
        samples: [Int16], rate: UInt32 = 48_000, channels: UInt16 = 1, bits: UInt16 = 16, encoding: UInt16 = 1
    ) -> [UInt8] {
        let data = samples.flatMap { bytes($0) }
        let format =
            bytes(encoding) + bytes(channels) + bytes(rate)
            + bytes(rate * UInt32(channels) * UInt32(bits) / 8)
            + bytes(channels * bits / 8) + bytes(bits)
        let body = tag("WAVE") + chunk("fmt ", format) + chunk("LIST", [1, 2, 3]) + chunk("data", data)
        return tag("RIFF") + bytes(UInt32(body.count)) + body
    }

    /// A sine of amplitude 0.5 for a second.
    static func tone(_ hertz: Double, rate: UInt32, channels: UInt16 = 1) -> [UInt8] {
        let samples = (0..<Int(rate)).flatMap { i in
            let value = Int16(16_383 * sin(2 * .pi * hertz * Double(i) / Double(rate)))
            return Array(repeating: value, count: Int(channels))
        }
        return make(samples: samples, rate: rate, channels: channels)
    }

    /// What the engine reads from such a file.
    static func read(_ file: [UInt8]) throws -> Result<[Float], ReadError> {
        let temporary = try TemporaryFile(file, extension: "wav")
        return read(path: temporary.path)
    }

    static func read(path: String) -> Result<[Float], ReadError> {
        var error = sl_error()
        let count = sl_wav_read(path, nil, 0, &error)
        guard count >= 0 else { return .failure(ReadError(error)) }
        var samples = [Float](repeating: 0, count: Int(count))
        _ = sl_wav_read(path, &samples, samples.count, &error)
        return .success(samples)
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        tag(name) + bytes(UInt32(body.count)) + body + (body.count % 2 == 0 ? [] : [0])
    }

    private static func tag(_ name: String) -> [UInt8] { Array(name.utf8) }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian, Array.init)
    }
}

/// What a file reader says.
struct ReadError: Error {
    let status: Int
    let message: String

    init(_ error: sl_error) {
        status = Int(error.status)
        message = withUnsafeBytes(of: error.message) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
