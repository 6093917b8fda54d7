// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallRecording
import NIOCore

/// Unpacks the messages of a client that packs them: permessage-deflate (RFC 7692).
///
/// Whatever comes, no more is made than is asked for. What builds on a message that could not be unpacked cannot be either.
///
/// A message ends with a block, so what the next one needs of it is the end of its text alone: zlib's state, which is larger, is
/// made for each. Most clients say little, and there are many.
struct MessageInflater {
    enum Failure: Error {
        /// It is longer than it may be.
        case tooLong
        /// It is not what was agreed on.
        case damaged
    }

    /// What the packer omits at the end of each message (7.2.2).
    private static let end: [UInt8] = [0, 0, 0xFF, 0xFF]
    /// Least room for a piece, bytes.
    private static let piece = 2048
    /// The window of a message that stands for itself, bits: any that a client may have.
    private static let largestWindow = 15

    private let agreement: DeflateAgreement
    /// The end of what was unpacked before; empty before the first message, and if each stands for itself.
    private var window: [UInt8] = []
    private var isLost = false

    init(_ agreement: DeflateAgreement) { self.agreement = agreement }

    /// Notes that a message was not unpacked.
    mutating func lose() {
        isLost = true
        window = []
    }

    /// The message that a packed one is.
    ///
    /// - Parameter limit: Most bytes that it may have.
    mutating func unpack(_ message: ByteBuffer, limit: Int) throws(Failure) -> ByteBuffer {
        guard !isLost else { throw .damaged }
        let inflater = Inflater(.raw(windowBits: agreement.windowBits ?? Self.largestWindow))
        inflater.begin(after: window)
        do throws(Failure) {
            let unpacked = try Self.unpack(message, with: inflater, limit: max(0, limit))
            if agreement.windowBits != nil { window = inflater.window }
            return unpacked
        } catch {
            lose()
            throw error
        }
    }

    private static func unpack(
        _ message: ByteBuffer, with inflater: Inflater, limit: Int
    ) throws(Failure) -> ByteBuffer {
        var rest = message
        rest.writeBytes(end)
        var made = ByteBuffer()
        while true {
            let room = min(max(piece, 4 * rest.readableBytes), limit + 1 - made.readableBytes)
            let step = step(inflater, &rest, &made, room: room)
            guard step.progress != .damaged else { throw .damaged }
            guard made.readableBytes <= limit else { throw .tooLong }
            // A packer may end its stream with a message; what follows of this one is padding.
            if step.progress == .memberEnded { return made }
            if step.made < room, rest.readableBytes == 0 { return made }
            guard step.made > 0 || step.taken > 0 else { throw .damaged }
        }
    }

    private static func step(
        _ inflater: Inflater, _ rest: inout ByteBuffer, _ made: inout ByteBuffer, room: Int
    ) -> (taken: Int, made: Int, progress: Inflater.Progress) {
        var step = (taken: 0, made: 0, progress: Inflater.Progress.damaged)
        made.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { output in
            rest.withUnsafeReadableBytes { input in
                step = inflater.unpack(
                    input, into: UnsafeMutableRawBufferPointer(rebasing: output.prefix(room)))
            }
            return step.made
        }
        rest.moveReaderIndex(forwardBy: step.taken)
        return step
    }
}
