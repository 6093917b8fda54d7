// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import CZlib
import NIOCore

/// Packs what a client says, if the server agrees to it: permessage-deflate (RFC 7692).
///
/// A message refers to those before it, so it is for one socket, and for its event loop. What the server says is not packed.
final class MessageDeflater {
    /// The field of requests and answers that speaks of it.
    static let field = "Sec-WebSocket-Extensions"
    /// What the client asks for.
    static let offer = "permessage-deflate; server_no_context_takeover; client_max_window_bits"
    /// The empty block at the end of each message, which is not sent (7.2.1).
    private static let end = 4
    /// What a window may have, bits; zlib has none of fewer.
    private static let windows = 9...15
    /// Memory for what is being packed, as zlib counts it: 16 KB.
    private static let memory: Int32 = 5

    private let keepsWindow: Bool
    // zlib keeps the address: it may not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Packs as the server answered; `nil` if it did not agree, or to something that was not asked for.
    init?(answer: String) {
        guard let agreed = Self.read(answer) else { return nil }
        keepsWindow = agreed.keepsWindow
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let status = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -Int32(agreed.windowBits), Self.memory,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, size)
        guard status == Z_OK else { return nil }
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    private static func read(_ answer: String) -> (windowBits: Int, keepsWindow: Bool)? {
        let parts = answer.lowercased().filter { $0 != " " && $0 != "\"" }.split(separator: ";")
        guard parts.first == "permessage-deflate" else { return nil }
        var agreed = (windowBits: windows.upperBound, keepsWindow: true)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            switch (pair.first ?? "", pair.count > 1 ? Int(pair[1]) : nil) {
            case ("client_max_window_bits", let bits?) where windows.contains(bits): agreed.windowBits = bits
            case ("client_no_context_takeover", nil): agreed.keepsWindow = false
            case ("server_no_context_takeover", nil): break
            default: return nil
            }
        }
        return agreed
    }

    /// A message as it is sent, which may not be empty; `nil` if it cannot be packed, nor can any after it.
    func pack(_ message: ByteBuffer) -> ByteBuffer? {
        if !keepsWindow, deflateReset(stream) != Z_OK { return nil }
        // A few bytes more than zlib's bound: the end of a message that is flushed is not in it.
        let room = Int(deflateBound(stream, UInt(message.readableBytes))) + 16
        var packed = ByteBuffer()
        var isWhole = false
        packed.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { output in
            message.withUnsafeReadableBytes { input in
                isWhole = deflate(input, into: output)
                return output.count - Int(stream.pointee.avail_out)
            }
        }
        guard isWhole, packed.readableBytes >= Self.end else { return nil }
        packed.moveWriterIndex(to: packed.writerIndex - Self.end)
        return packed
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
#endif
