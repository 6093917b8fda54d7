// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import RouterWire
import WebRTCStats

/// Commands and notices as lines.
enum RouterLines {
    /// Reads a command.
    static func command(_ line: LineReader.Line) -> RouterCore.Input {
        guard case .complete(let bytes) = line else {
            return .unreadable("a message is longer than \(RouterProtocol.lineLimit) bytes")
        }
        do {
            return .command(try RouterCommand(line: bytes))
        } catch {
            return .unreadable("a message could not be read: \(describe(error))")
        }
    }

    /// Writes a notice; `nil` if it cannot be written, which would be a bug of this package.
    static func line(_ notice: RouterNotice) -> [UInt8]? {
        guard case .report(var report) = notice else { return encode(notice) }
        // The report's own writer is many times faster than the encoder, and reports are nearly all that is
        // written.
        let stats = report.stats.json()
        report.stats = StatsReport()
        guard let line = encode(.report(report)), let place = line.firstRange(of: Self.emptyStats) else {
            return nil
        }
        return line[..<place.lowerBound] + Self.stats + stats + line[place.upperBound...]
    }

    // Cannot occur within a name: quotes are escaped there.
    private static let emptyStats = Array(#""stats":[]"#.utf8)
    private static let stats = Array(#""stats":"#.utf8)

    private static func encode(_ notice: RouterNotice) -> [UInt8]? {
        try? notice.line()
    }

    /// The error, without the whole message.
    private static func describe(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(type(of: error))" }
        switch error {
        case .keyNotFound(let key, _): return "\"\(key.stringValue)\" is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "wrong type at \(path(context))"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "wrong value at \(path(context))"
        default: return "it is no JSON object"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}
