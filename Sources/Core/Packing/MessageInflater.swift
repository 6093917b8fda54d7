// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Unpacks the messages of one end of a WebSocket that packs them: permessage-deflate (RFC 7692).
///
/// Whatever comes, no more is made than is asked for. What builds on a message that could not be unpacked cannot be either.
///
/// A message ends with a block, so what the next one needs of it is the end of its text alone: zlib's state, which is larger, is
/// made for each. Most clients say little, and there are many.
package struct MessageInflater {
    package enum Failure: Error {
        /// It is longer than it may be.
        case tooLong
        /// It is not what was agreed on.
        case damaged
    }

    /// What the packer omits at the end of each message (7.2.2).
    private static let end: [UInt8] = [0, 0, 0xFF, 0xFF]
    /// Least room for a piece, bytes.
    private static let piece = 2048
    /// The window of a message that stands for itself, bits: any that a packer may have.
    private static let largestWindow = 15

    private let windowBits: Int?
    /// The end of what was unpacked before; empty before the first message, and if each stands for itself.
    private var window: [UInt8] = []
    private var isLost = false

    /// - Parameter windowBits: The window that is kept from one message to the next, bits; `nil` if each stands for itself.
    package init(windowBits: Int?) { self.windowBits = windowBits }

    /// Notes that a message was not unpacked.
    package mutating func lose() {
        isLost = true
        window = []
    }

    /// The message that a packed one is.
    ///
    /// - Parameter limit: Most bytes that it may have.
    package mutating func unpack(_ message: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        guard !isLost else { throw .damaged }
        // Of nothing some make nothing, and not a block of nothing.
        guard !message.isEmpty else { return [] }
        let inflater = Inflater(.raw(windowBits: windowBits ?? Self.largestWindow))
        inflater.begin(after: window)
        do throws(Failure) {
            let unpacked = try Self.unpack(message, with: inflater, limit: max(0, limit))
            if windowBits != nil { window = inflater.window }
            return unpacked
        } catch {
            lose()
            throw error
        }
    }

    private static func unpack(
        _ message: [UInt8], with inflater: Inflater, limit: Int
    ) throws(Failure) -> [UInt8] {
        var made: [UInt8] = []
        // A packer may end its stream with a message; what follows of this one is padding.
        if try feed(message, to: inflater, &made, limit: limit) { return made }
        let length = made.count
        // The end is a block of nothing. Within another one, that was cut off, it is text, or no end.
        _ = try feed(end, to: inflater, &made, limit: limit)
        guard made.count == length, inflater.isBetweenBlocks else { throw .damaged }
        return made
    }

    /// Unpacks all of some bytes; gives whether the stream ended within them.
    private static func feed(
        _ bytes: [UInt8], to inflater: Inflater, _ made: inout [UInt8], limit: Int
    ) throws(Failure) -> Bool {
        var rest = bytes[...]
        while true {
            let room = min(max(piece, 4 * rest.count), limit + 1 - made.count)
            let step = step(inflater, rest, room: room)
            guard step.progress != .damaged else { throw .damaged }
            rest = rest.dropFirst(step.taken)
            if made.isEmpty { made = step.made } else { made += step.made }
            guard made.count <= limit else { throw .tooLong }
            if step.progress == .memberEnded { return true }
            if step.made.count < room, rest.isEmpty { return false }
            guard !step.made.isEmpty || step.taken > 0 else { throw .damaged }
        }
    }

    private static func step(
        _ inflater: Inflater, _ rest: ArraySlice<UInt8>, room: Int
    ) -> (taken: Int, made: [UInt8], progress: Inflater.Progress) {
        var taken = 0
        var progress = Inflater.Progress.damaged
        let made = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            let step = rest.withUnsafeBytes {
                inflater.unpack($0, into: UnsafeMutableRawBufferPointer(output))
            }
            (taken, count, progress) = (step.taken, step.made, step.progress)
        }
        return (taken, made, progress)
    }
}
