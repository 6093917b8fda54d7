// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOEmbedded
import WebRTCStats

@testable import RouterWire
@testable import SessionServer

enum RouterFuzzing {
    private static let limit = 1 << 12

    /// Bytes between server and router: cut into lines by both ends' readers alike, however they arrive, and
    /// read.
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
        var lines: [[UInt8]] = []
        var isTooLong = false
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(LineDecoder(limit: limit)))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(bytes.count, start + size)]
            for case .complete(let line) in reader.read(piece) { lines.append(line) }
            do {
                if !isTooLong { try channel.writeInbound(ByteBuffer(bytes: piece)) }
            } catch {
                try require(error is LineDecoder.TooLong, "\(error)")
                isTooLong = true
            }
        }
        var decoded: [[UInt8]] = []
        while let line = try channel.readInbound(as: ByteBuffer.self) {
            decoded.append(Array(line.readableBytesView))
        }
        decoded.removeAll(where: \.isEmpty)
        try require(
            isTooLong ? lines.starts(with: decoded) : lines == decoded, "both ends cut lines differently")
        try require(lines.allSatisfy { $0.count <= limit }, "a line over the limit")
        return lines
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
