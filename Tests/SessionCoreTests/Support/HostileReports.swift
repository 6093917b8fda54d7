// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport

/// Statistics such as no engine reports: every member of every type, with values that are extreme, of the wrong type, or
/// go back.
struct HostileReports {
    var random: SeededRandom
    private var time = 1_700_000_000_000.0
    private let members: [String: [(name: String, kind: String)]]
    private static let ids = ["a", "b", "c", "d", "e", "f"]
    private static let numbers = [
        "0", "1", "-1", "0.5", "2147483648", "4294967296", "9007199254740993", "9007199254740995",
        "9223372036854775807",
        "-9223372036854775808", "18446744073709551615", "1e30", "1e300", "-1e300", "1e-300", "1e999",
    ]
    private static let others = ["null", "true", "[]", "{}", "\"x\"", "\"9\"", "[1,2]"]

    init(random: SeededRandom) throws {
        self.random = random
        let file = Repository.fixture("getstats/w3c-members.tsv")
        var members: [String: [(name: String, kind: String)]] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t").map(String.init)
            members[fields[0], default: []].append((fields[1], fields[2]))
        }
        self.members = members
    }

    /// The next report, as JSON.
    mutating func next() -> String {
        time += pick([1000, 1000, 1000, 100, 0, 20_000, -5000])
        let count = pick([1, 4, 8, 8, 8, 30])
        return "[" + (0..<count).map { _ in entry() }.joined(separator: ",") + "]"
    }

    private mutating func entry() -> String {
        // Those that figures are made of, more often than the others.
        let usual = ["inbound-rtp", "outbound-rtp", "remote-inbound-rtp", "candidate-pair", "transport"]
        let type = one(in: 4) ? pick(members.keys.sorted()) : pick(usual)
        var parts = ["\"type\":\"\(type)\"", "\"id\":\"\(pick(Self.ids))\"", "\"timestamp\":\(timestamp())"]
        if one(in: 2) { parts.append("\"kind\":\"\(pick(["audio", "video"]))\"") }
        if one(in: 2) { parts.append("\"ssrc\":\(pick([1, 2, 3]))") }
        for member in members[type] ?? [] where one(in: 2) {
            parts.append("\"\(member.name)\":\(value(member.kind))")
        }
        return "{" + parts.joined(separator: ",") + "}"
    }

    private mutating func timestamp() -> String {
        one(in: 8) ? pick(Self.numbers) : "\(time)"
    }

    private mutating func value(_ kind: String) -> String {
        if one(in: 12) { return pick(Self.others) }
        switch kind {
        case "uint", "int", "double", "time":
            return one(in: 2) ? pick(Self.numbers) : "\(Int.random(in: 0...100_000, using: &random))"
        case "bool": return pick(["true", "false"])
        default:
            return
                "\"\(pick(Self.ids + ["video", "audio", "q", "bandwidth", "cpu", "connected", "failed"]))\""
        }
    }

    private mutating func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
}
