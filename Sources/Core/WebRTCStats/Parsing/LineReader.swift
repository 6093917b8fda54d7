// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Cuts a stream of bytes into lines, however the pieces fall.
package struct LineReader: Sendable {
    /// A line without its end.
    package enum Line: Sendable, Equatable {
        case complete([UInt8])
        /// The last line, whose end is missing.
        case unfinished([UInt8])
        /// A line longer than allowed; its bytes are gone.
        case tooLong
    }

    private let limit: Int
    private var pending: [UInt8] = []
    private var isSkipping = false

    /// - Parameter limit: Most bytes of a line.
    package init(limit: Int) {
        self.limit = max(limit, 0)
    }

    /// The lines that the piece completes.
    package mutating func read(_ piece: UnsafeRawBufferPointer) -> [Line] {
        var lines: [Line] = []
        var rest = piece[...]
        while let end = Self.newline(in: UnsafeRawBufferPointer(rebasing: rest)) {
            keep(rest.prefix(end))
            lines.append(takeLine())
            rest = rest.dropFirst(end + 1)
        }
        keep(rest)
        return lines
    }

    /// What came after the last line end; `nil` if nothing did.
    package mutating func finish() -> Line? {
        guard isSkipping || !pending.isEmpty else { return nil }
        let line = takeLine()
        if case .complete(let bytes) = line { return .unfinished(bytes) }
        return line
    }

    private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
        guard !isSkipping else { return }
        if bytes.count > limit - pending.count {
            isSkipping = true
            pending = []
        } else {
            pending.append(contentsOf: bytes)
        }
    }

    private mutating func takeLine() -> Line {
        defer {
            isSkipping = false
            pending = []
        }
        if isSkipping { return .tooLong }
        if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
        return .complete(pending)
    }

    private static func newline(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, 0x0A, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start
    }
}
