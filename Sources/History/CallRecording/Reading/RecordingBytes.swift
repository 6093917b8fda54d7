// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Packing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The bytes of a file piece by piece, unpacked if it is packed with gzip, whatever it is called.
final class RecordingBytes {
    private static let pieceBytes = 256 << 10
    private static let magic: [UInt8] = [0x1F, 0x8B]

    /// What is missing of a packed file; `nil` if nothing is, or not yet.
    private(set) var missing: (code: RecordingIssue.Code, detail: String)?
    /// Whether the file is packed; known after the first piece.
    var isPacked: Bool { inflater != nil }

    private let handle: FileHandle
    private let limit: Int
    private var inflater: Inflater?
    private var packed: ArraySlice<UInt8> = []
    private var isFirst = true
    private var isOver = false
    /// Whether a member of the packed file has begun and not ended.
    private var isInMember = true
    private var unpackedBytes = 0

    /// - Parameters:
    ///   - handle: The file, at its beginning.
    ///   - limit: Most bytes that are unpacked; the rest is omitted.
    init(_ handle: FileHandle, limit: Int) {
        self.handle = handle
        self.limit = limit
    }

    /// The next piece; empty at the end.
    func next() throws -> [UInt8] {
        if isFirst {
            isFirst = false
            let head = try readFile()
            guard head.starts(with: Self.magic) else { return head }
            inflater = Inflater(.gzip)
            packed = head[...]
        }
        guard let inflater else { return try readFile() }
        var piece: [UInt8] = []
        while piece.isEmpty, !isOver { piece = try unpack(with: inflater) }
        return piece
    }

    private func readFile() throws -> [UInt8] {
        let descriptor = handle.fileDescriptor
        var failure: Int32?
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
            let made = Self.fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor)
            if made < 0 { failure = errno }
            count = max(made, 0)
        }
        if let failure { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        if piece.isEmpty { try? handle.close() }
        return piece
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
        var made = 0
        repeat {
            made = read(descriptor, buffer.baseAddress, buffer.count)
        } while made < 0 && errno == EINTR
        return made
    }

    private func unpack(with inflater: Inflater) throws -> [UInt8] {
        if packed.isEmpty { packed = try readFile()[...] }
        guard !packed.isEmpty else {
            if isInMember {
                end(.truncated, "The packed file ends in the middle; what came before was read.")
            }
            isOver = true
            return []
        }
        // What follows the last member is padding, as for gzip itself.
        guard isInMember || packed.first == Self.magic[0] else {
            isOver = true
            return []
        }
        isInMember = true
        let (piece, progress) = step(inflater)
        unpackedBytes += piece.count
        switch progress {
        case .going: break
        case .memberEnded: isInMember = false
        case .damaged: end(.truncated, "The packed file is damaged; only what came before could be read.")
        }
        if unpackedBytes > limit {
            end(.limitExceeded, "The file holds more than \(limit) bytes; the rest was omitted.")
        }
        return piece
    }

    private func step(_ inflater: Inflater) -> ([UInt8], Inflater.Progress) {
        var progress = Inflater.Progress.going
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
            let result = packed.withUnsafeBytes { input in
                inflater.unpack(input, into: UnsafeMutableRawBufferPointer(buffer))
            }
            packed = packed.dropFirst(result.taken)
            count = result.made
            progress = result.progress
        }
        return (piece, progress)
    }

    private func end(_ code: RecordingIssue.Code, _ detail: String) {
        missing = (code, detail)
        isOver = true
        try? handle.close()
    }
}
