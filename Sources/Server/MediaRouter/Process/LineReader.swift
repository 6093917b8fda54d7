// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Cuts a stream of bytes into lines.
///
/// Pure; bytes come in pieces of any size.
struct LineReader {
    /// What happened to a line.
    enum Line: Equatable {
        /// Without its end.
        case complete([UInt8])
        /// Longer than the limit, and thrown away.
        case tooLong
    }

    /// Longest line in bytes, without its end.
    let limit: Int
    private var partial: [UInt8] = []
    private var isSkipping = false

    init(limit: Int) {
        self.limit = limit
    }

    /// The lines that end in `bytes`, in order.
    ///
    /// Empty lines are omitted.
    mutating func read(_ bytes: some Collection<UInt8>) -> [Line] {
        var lines: [Line] = []
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            take(part)
            if isSkipping {
                lines.append(.tooLong)
            } else if !partial.isEmpty {
                lines.append(.complete(partial))
            }
            partial.removeAll()
            isSkipping = false
        }
        if let last = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).last {
            take(last)
        }
        return lines
    }

    private mutating func take(_ part: some Collection<UInt8>) {
        guard !isSkipping else { return }
        guard partial.count + part.count <= limit else {
            isSkipping = true
            partial.removeAll()
            return
        }
        partial += part
    }
}
