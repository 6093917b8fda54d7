// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// WAVE files of 16-bit mono PCM.
package enum WaveFile {
    /// A whole file.
    package static func data(_ samples: [Int16], rate: Int) -> Data {
        let bytes = UInt32(clamping: samples.count * 2)
        var file = Data("RIFF".utf8)
        file.append(little: 36 + bytes)
        file.append(Data("WAVEfmt ".utf8))
        file.append(little: UInt32(16))
        // PCM, one channel.
        file.append(little: UInt16(1))
        file.append(little: UInt16(1))
        file.append(little: UInt32(clamping: rate))
        file.append(little: UInt32(clamping: rate * 2))
        file.append(little: UInt16(2))
        file.append(little: UInt16(16))
        file.append(Data("data".utf8))
        file.append(little: bytes)
        for sample in samples { file.append(little: UInt16(bitPattern: sample)) }
        return file
    }
}

extension Data {
    fileprivate mutating func append(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
