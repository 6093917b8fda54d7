// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CZlib
import CallHistory

/// A ``CallHistory/SampleChunk`` as a row has it: deflated.
enum ChunkBytes {
    /// Most bytes of a chunk before it was deflated: that of a minute has some 1500.
    private static let limit = 8 << 20

    /// `nil` if there are no samples, or too many.
    static func bytes(_ samples: [ChunkSample]) -> [UInt8]? {
        guard let chunk = SampleChunk.bytes(samples) else { return nil }
        var length = compressBound(uLong(chunk.count))
        var bytes = [UInt8](repeating: 0, count: 4 + Int(length))
        for shift in 0..<4 { bytes[shift] = UInt8(truncatingIfNeeded: chunk.count >> (8 * shift)) }
        let code = bytes.withUnsafeMutableBufferPointer { buffer in
            compress2(
                buffer.baseAddress.map { $0 + 4 }, &length, chunk, uLong(chunk.count), Z_DEFAULT_COMPRESSION)
        }
        guard code == Z_OK else { return nil }
        bytes.removeLast(bytes.count - 4 - Int(length))
        return bytes
    }

    /// `nil` if the bytes are none.
    static func samples(_ bytes: [UInt8]) -> [ChunkSample]? {
        guard bytes.count > 4 else { return nil }
        let count = (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
        guard (1...limit).contains(count) else { return nil }
        var chunk = [UInt8](repeating: 0, count: count)
        var length = uLong(count)
        let code = bytes.withUnsafeBufferPointer { buffer in
            uncompress(&chunk, &length, buffer.baseAddress.map { $0 + 4 }, uLong(bytes.count - 4))
        }
        guard code == Z_OK, length == uLong(count) else { return nil }
        return SampleChunk.samples(chunk)
    }
}
