// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Crypto
import Foundation

/// A call, or a client's time in it, as a span of a trace.
struct CallSpan: Sendable, Equatable {
    /// Something that happened in it.
    struct Event: Sendable, Equatable {
        /// Unix ms.
        var time: Double
        var name: String
        var attributes: [OTLP.Attribute]
    }

    enum Name: String, Sendable {
        /// From the first client's coming until the last has left.
        case call
        /// A client, from its coming until it has left.
        case connection
    }

    /// Most events of one span.
    static let eventLimit = 128

    var name: Name
    /// 16 bytes in hexadecimal digits, the same for every span of a call.
    var trace: String
    /// 8 bytes in hexadecimal digits.
    var id: String
    /// The call's id; `nil` for the call itself.
    var parent: String?
    /// Unix ms.
    var start: Double
    /// Unix ms, not before ``start``.
    var end: Double
    var attributes: [OTLP.Attribute] = []
    /// In the order in which they came.
    var events: [Event] = []
    /// Events that had no room.
    var droppedEvents = 0
    /// What went wrong with all of it; `nil` if it came to an ordinary end.
    var error: String?

    /// Names a span of a trace that begins.
    init(_ name: Name, trace: String, id: String, parent: String? = nil, start: Double) {
        self.name = name
        self.trace = trace
        self.id = id
        self.parent = parent
        self.start = start
        end = start
    }

    /// An id of n bytes of some parts, the same for the same ones.
    static func id(bytes: Int, _ parts: [String]) -> String {
        // Each with its length, so that no two lists of parts have the same text.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return SHA256.hash(data: Data(text.utf8)).prefix(bytes)
            .map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    }
}
