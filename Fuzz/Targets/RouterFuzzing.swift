// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

@testable import RouterWire

enum RouterFuzzing {
    private static let limit = 1 << 12

    /// Bytes between server and router: cut into the same lines however they arrive, and read.
    ///
    /// The first byte says in which pieces they arrive.
    static func run(_ input: UnsafeRawBufferPointer) throws {
        guard let first = input.first else { return }
        let bytes = [UInt8](input.dropFirst())
        let lines = try cut(bytes, pieces: Int(first) + 1)
        for line in lines {
            try notice(line)
            try command(line)
        }
    }

    private static func cut(_ bytes: [UInt8], pieces size: Int) throws -> [[UInt8]] {
        var reader = LineReader(limit: limit)
        var lines: [LineReader.Line] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines += bytes[start..<min(bytes.count, start + size)].withUnsafeBytes { reader.read($0) }
        }
        // What follows the last line end is no line yet.
        let expected = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            .map { line -> LineReader.Line in
                if line.count > limit { return .tooLong }
                return .complete(Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
            }
        try require(lines == expected, "lines are cut by how they arrive")
        return lines.compactMap { if case .complete(let line) = $0 { line } else { nil } }
    }

    private static func notice(_ line: [UInt8]) throws {
        if let place = StatsSplitter.stats(in: line[...]) {
            try require(
                line.indices.contains(place.lowerBound) && place.upperBound <= line.count, "beyond the line")
        }
        guard let notice = try? RouterNotice(line: line) else { return }
        let again = try RouterNotice(line: notice.line())
        try require(
            withoutStats(again) == withoutStats(notice), "a notice changed when it was written and read")
    }

    /// A report inside another message is written without the order of members that no one knows.
    private static func withoutStats(_ notice: RouterNotice) -> RouterNotice {
        guard case .report(var report) = notice else { return notice }
        report.stats = StatsReport()
        return .report(report)
    }

    private static func command(_ line: [UInt8]) throws {
        guard let command = try? RouterCommand(line: line) else { return }
        let again = try RouterCommand(line: command.line())
        try require(again == command, "a command changed when it was written and read")
    }
}
