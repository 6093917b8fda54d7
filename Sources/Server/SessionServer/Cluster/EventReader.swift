// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Reads server-sent events as their bytes come: types and data, of one line each.
///
/// Pure.
struct EventReader {
    /// One event.
    struct Event: Sendable, Equatable {
        var type: String
        var data: String
    }

    /// Bytes without an end of line from which on what comes is no stream of events.
    static let limit = 1 << 20

    private var line: [UInt8] = []
    private var type = ""
    private var data = ""

    /// The events that are complete; `nil` if the bytes are none.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Event]? {
        var events: [Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                guard line.count < Self.limit else { return nil }
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else {
            defer { (type, data) = ("", "") }
            return type.isEmpty || data.isEmpty ? nil : Event(type: type, data: data)
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("event: ") { type = String(text.dropFirst(7)) }
        if text.hasPrefix("data: ") { data = String(text.dropFirst(6)) }
        return nil
    }
}
