// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CZlib

/// Packs the messages of one end of a WebSocket: permessage-deflate (RFC 7692).
///
/// Where a window is kept, a message refers to those before it, so it is for one socket, and for its event loop.
package final class MessageDeflater {
    /// The empty block at the end of each message, which is not sent (7.2.1).
    private static let end = 4
    /// Memory for what is being packed, as zlib counts it: 16 KB.
    private static let memory: Int32 = 5

    private let keepsWindow: Bool
    // zlib keeps the address: it may not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    /// - Parameters:
    ///   - windowBits: How far back a message refers, bits: one of ``DeflateParameters/windows``.
    ///   - keepsWindow: Whether messages refer to those before them.
    package init(windowBits: Int, keepsWindow: Bool) {
        self.keepsWindow = keepsWindow
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let windows = DeflateParameters.windows
        let bits = min(max(windowBits, windows.lowerBound), windows.upperBound)
        isReady =
            deflateInit2_(
                stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -Int32(bits), Self.memory, Z_DEFAULT_STRATEGY,
                ZLIB_VERSION, size) == Z_OK
    }

    deinit {
        if isReady { deflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// A message as it is sent, which may not be empty; `nil` if it cannot be packed, nor can any after it.
    package func pack(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
        guard isReady, keepsWindow || deflateReset(stream) == Z_OK else { return nil }
        // A few bytes more than zlib's bound: the end of a message that is flushed is not in it.
        let room = Int(deflateBound(stream, UInt(message.count))) + 16
        var isWhole = false
        let packed = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            isWhole = deflate(message, into: UnsafeMutableRawBufferPointer(output))
            let made = output.count - Int(stream.pointee.avail_out)
            count = max(0, made - Self.end)
            isWhole = isWhole && made >= Self.end
        }
        return isWhole ? packed : nil
    }

    /// Bytes as they are, as a packed message may begin with them; what was packed for itself may follow.
    ///
    /// - Parameter bytes: Up to 65,535 of them.
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        // A block that is not compressed (RFC 1951, 3.2.4), and not the last one.
        let count = UInt16(clamping: bytes.count)
        var block: [UInt8] = [0]
        for size in [count, ~count] {
            block.append(UInt8(truncatingIfNeeded: size))
            block.append(UInt8(truncatingIfNeeded: size >> 8))
        }
        return block + bytes.prefix(Int(count))
    }

    /// Whether all of it went in, and all that it became had room.
    private func deflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool
    {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(clamping: output.count)
        let status = CZlib.deflate(stream, Z_SYNC_FLUSH)
        return status == Z_OK && stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0
    }
}
