// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CZlib

/// Unpacks deflated data piece by piece, several members one after the other among them.
package final class Inflater {
    /// What is around the data.
    package enum Format: Sendable {
        /// Members of gzip, each with a header, and a window of 32 KiB.
        case gzip
        /// Nothing; the window has that many bits, 9 to 15.
        case raw(windowBits: Int)

        /// As zlib wants it.
        fileprivate var windowBits: Int32 {
            switch self {
            case .gzip: 15 + 16
            case .raw(let bits): -Int32(min(max(bits, 9), 15))
            }
        }
    }

    /// What happened to a piece.
    package enum Progress: Equatable, Sendable {
        /// More is to come.
        case going
        /// A member ended; another may follow.
        case memberEnded
        /// The data is no such thing from here on.
        case damaged
    }

    // zlib keeps the address: it may not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    /// Has unpacked nothing yet.
    package init(_ format: Format) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        isReady = inflateInit2_(stream, format.windowBits, ZLIB_VERSION, size) == Z_OK
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Whether what was taken ends with a block of raw data; known from a piece of which something was taken.
    package var isBetweenBlocks: Bool { stream.pointee.data_type & Self.blockEnd != 0 }

    /// zlib's mark for that.
    private static let blockEnd: Int32 = 128

    /// What was unpacked last, as far as what comes next may refer to it: with that and no more another one continues after
    /// a block of raw data.
    package var window: [UInt8] {
        var length: UInt32 = 0
        guard isReady, inflateGetDictionary(stream, nil, &length) == Z_OK, length > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
            var made: UInt32 = 0
            let status = inflateGetDictionary(stream, bytes.baseAddress, &made)
            count = status == Z_OK ? Int(made) : 0
        }
    }

    /// Continues, at the beginning of a block of raw data, after another one that left this.
    package func begin(after window: [UInt8]) {
        guard isReady, !window.isEmpty else { return }
        inflateSetDictionary(stream, window, UInt32(clamping: window.count))
    }

    /// Unpacks as much of the input as the output has room for.
    ///
    /// - Returns: How many bytes were taken and how many were made.
    package func unpack(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (taken: Int, made: Int, progress: Progress) {
        guard isReady else { return (0, 0, .damaged) }
        let room = UInt32(clamping: output.count)
        let offered = UInt32(clamping: input.count)
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = offered
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = room
        let status = inflate(stream, Z_SYNC_FLUSH)
        let taken = Int(offered - stream.pointee.avail_in)
        let made = Int(room - stream.pointee.avail_out)
        switch status {
        case Z_STREAM_END: return (taken, made, inflateReset(stream) == Z_OK ? .memberEnded : .damaged)
        case Z_OK, Z_BUF_ERROR: return (taken, made, .going)
        default: return (taken, made, .damaged)
        }
    }
}
