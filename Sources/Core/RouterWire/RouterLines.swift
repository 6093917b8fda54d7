// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import WebRTCStats

extension RouterCommand {
    /// The command as a line, without its end.
    ///
    /// JSON escapes line breaks, so there are none within.
    package func line() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// Reads a line.
    ///
    /// - Throws: `DecodingError`.
    package init(line: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(RouterCommand.self, from: Data(line))
    }
}

extension RouterNotice {
    /// The notice as a line, without its end.
    ///
    /// JSON escapes line breaks, so there are none within.
    package func line() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// Reads a line.
    ///
    /// - Throws: `DecodingError`; for a type that only newer routers know, too.
    package init(line: some Sequence<UInt8>) throws {
        let bytes = Array(line)
        guard let place = StatsSplitter.stats(in: bytes[...]),
            case .report(var report)? = try? Self.decode(
                bytes[..<place.lowerBound] + "[]".utf8 + bytes[place.upperBound...]),
            let parsed = try? StatsReport.parse(bytes[place])
        else {
            self = try Self.decode(bytes)
            return
        }
        report.stats = parsed.report
        self = .report(report)
    }

    private static func decode(_ bytes: some Sequence<UInt8>) throws -> RouterNotice {
        try JSONDecoder().decode(RouterNotice.self, from: Data(bytes))
    }
}
