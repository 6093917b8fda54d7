// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CZlib
import NIOCore

/// Packs with gzip (RFC 1952), piece by piece.
final class GzipPacker {
    /// zlib has no memory for it, or was asked for something after the end.
    struct Failure: Error {}

    /// Shorter ones stay as they are, bytes: they fit into a packet or two, and tokens are among them.
    static let least = 1024

    /// Room that is made for what a piece becomes, bytes; as often as it takes.
    private static let room = 1 << 14
    /// The largest window, and gzip's header before it, as zlib wants it.
    private static let windowBits: Int32 = 15 + 16
    /// Memory for what is being packed, as zlib counts it: its default, with which all takes some 256 KB.
    private static let memory: Int32 = 8

    // zlib keeps the address: it may not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        isReady =
            deflateInit2_(
                stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Self.windowBits, Self.memory, Z_DEFAULT_STRATEGY,
                ZLIB_VERSION, size) == Z_OK
    }

    deinit {
        if isReady { deflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// All in one go; `nil` if it is short, or gets no shorter.
    static func packed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= least,
            let packed = try? GzipPacker().pack(ByteBuffer(bytes: bytes), isLast: true),
            packed.readableBytes < bytes.count
        else { return nil }
        return Array(buffer: packed)
    }

    /// What there is to send after a piece; often nothing yet.
    ///
    /// - Parameter isLast: Whether nothing follows.
    /// - Throws: ``Failure``.
    func pack(_ piece: ByteBuffer, isLast: Bool = false) throws(Failure) -> ByteBuffer {
        guard isReady else { throw Failure() }
        var packed = ByteBuffer()
        var status = Z_OK
        piece.withUnsafeReadableBytes { input in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(clamping: input.count)
            repeat {
                packed.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.room) { output in
                    stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
                    stream.pointee.avail_out = UInt32(clamping: output.count)
                    status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                    return output.count - Int(stream.pointee.avail_out)
                }
                // With room left there is no more to come.
            } while status == Z_OK && stream.pointee.avail_out == 0
        }
        // Without input there may be nothing to do, which is no fault.
        guard [Z_OK, Z_BUF_ERROR, Z_STREAM_END].contains(status), stream.pointee.avail_in == 0 else {
            throw Failure()
        }
        return packed
    }
}
