// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import Packing
import Synchronization

/// A text that goes to one client or to many: packed by the first socket that needs it so, once for all.
///
/// On the sockets' event loops, so that whoever has the text written need not wait.
final class SharedText: Sendable {
    private enum Packed {
        case notYet
        case bytes(ByteBuffer)
        /// It gets no shorter.
        case no
    }

    /// How far back a text refers, bits: 4 KiB hold most descriptions of media.
    private static let windowBits = 12

    let bytes: [UInt8]
    private let packed = Mutex(Packed.notYet)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Packed (RFC 7692); `nil` if it gets no shorter.
    var packedBytes: ByteBuffer? {
        packed.withLock { packed in
            if case .notYet = packed { packed = Self.pack(bytes) }
            guard case .bytes(let buffer) = packed else { return nil }
            return buffer
        }
    }

    private static func pack(_ bytes: [UInt8]) -> Packed {
        let deflater = MessageDeflater(windowBits: windowBits, keepsWindow: false)
        guard !bytes.isEmpty, let packed = bytes.withUnsafeBytes(deflater.pack), packed.count < bytes.count
        else { return .no }
        return .bytes(ByteBuffer(bytes: packed))
    }
}
