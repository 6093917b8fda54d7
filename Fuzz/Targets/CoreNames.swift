// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire

/// Names that the core has given, so that messages hit what is there as often as not.
struct CoreNames {
    var sessions: [String] = []
    private(set) var streams: [String] = []
    private(set) var connections: [String] = []
    private(set) var subscribers: [String] = []
    private(set) var tokens: [String] = []
    private(set) var legs: [String] = []
    private static let most = 64

    mutating func note(_ message: ServerMessage) {
        switch message.body {
        case .joined(let joined):
            add(joined.connection.id, to: \.connections)
            if let resumption = joined.resumption { add(resumption.token, to: \.tokens) }
        case .published(let published):
            add(published.stream.id, to: \.streams)
            if let restore = published.restore { add(restore, to: \.tokens) }
        case .routes(let routes):
            for subscriber in routes.subscribers { add(subscriber.subscriberId, to: \.subscribers) }
        default: break
        }
    }

    mutating func note(_ command: RouterCommand) {
        if case .add(let leg) = command { add(leg.leg.rawValue, to: \.legs) }
    }

    private mutating func add(_ name: String, to list: WritableKeyPath<CoreNames, [String]>) {
        if self[keyPath: list].count < Self.most, !self[keyPath: list].contains(name) {
            self[keyPath: list].append(name)
        }
    }

    /// Puts names in the place of `$s0` and the like.
    func expand(_ text: Substring) -> [UInt8] {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "$"), let kind = rest.first, let list = list(kind),
                let digit = rest.dropFirst().first, !list.isEmpty
            else {
                bytes.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            bytes += list[Int(digit) % min(10, list.count)].utf8
        }
        return bytes
    }

    private func list(_ kind: UInt8) -> [String]? {
        switch kind {
        case UInt8(ascii: "s"): streams
        case UInt8(ascii: "c"): connections
        case UInt8(ascii: "u"): subscribers
        case UInt8(ascii: "r"): tokens
        case UInt8(ascii: "l"): legs
        case UInt8(ascii: "e"): sessions
        default: nil
        }
    }
}
