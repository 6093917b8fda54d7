// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import Logging

/// How the server's log is written.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// Writes an object a line to standard error: time, level, logger, message, and the ids that a message is about by their
/// own names.
struct JSONLogHandler: LogHandler {
    let label: String
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    private static let lock = NSLock()

    init(label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line = Self.line(event, label: label, metadata: metadata, at: Date())
        line.append(UInt8(ascii: "\n"))
        Self.lock.withLock { FileHandle.standardError.write(line) }
    }

    /// One message, without the newline.
    static func line(_ event: LogEvent, label: String, metadata: Logger.Metadata, at time: Date) -> Data {
        var fields = metadata.merging(event.metadata ?? [:]) { _, new in new }.mapValues(\.description)
        if let error = event.error { fields["error"] = "\(error)" }
        fields["time"] = time.ISO8601Format(.init(includingFractionalSeconds: true))
        fields["level"] = event.level.rawValue
        fields["logger"] = label
        fields["message"] = event.message.description
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(fields)) ?? Data()
    }
}
