// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport

@testable import WebRTCStats

/// Makes reports of every shape the model allows.
struct ReportGenerator {
    var random: SeededRandom
    private let specification: [(type: String, name: String, kind: String)]

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        specification = try Fixture.specification()
    }

    mutating func report() -> StatsReport {
        var builder = StatsReportBuilder()
        for index in 0..<Int.random(in: 0...12, using: &random) {
            let type =
                (MemberCoverageTests.types + ["track", "é\"\\\n"]).randomElement(using: &random) ?? "codec"
            builder.begin(
                type: type, id: "\(index)" + text(), timestamp: Double.random(in: 0..<1e14, using: &random))
            for member in specification where member.type == type && !random.chance(3) {
                builder.set(StatsReportBuilder.key(for: member.name), value(member.kind))
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                builder.set(StatsReportBuilder.key(for: "x" + text()), value(depth: 3))
            }
            builder.end()
        }
        return builder.finish()
    }

    private mutating func value(_ kind: String) -> StatsValue {
        // Now and then a value of another kind, which must be kept as well.
        if random.chance(20) { return value(depth: 1) }
        return switch kind {
        case "uint": StatsValue(random.next() >> UInt64.random(in: 0..<64, using: &random))
        case "int": .int(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case "double": .double(double())
        case "time": .double(Double.random(in: 0..<1e14, using: &random))
        case "bool": .bool(Bool.random(using: &random))
        case "map": .object([StatsMember(name: "a" + text(), value: .double(double()))])
        default: .string(text())
        }
    }

    mutating func value(depth: Int) -> StatsValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .int(Int64(truncatingIfNeeded: random.next()))
        case 3: .uint(1 << 63 | random.next())
        case 4: .double(double())
        case 5: .string(text())
        case 6: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth - 1) })
        default:
            .object(
                (0..<Int.random(in: 0...3, using: &random)).map { index in
                    StatsMember(name: "\(index)" + text(), value: value(depth: depth - 1))
                })
        }
    }

    private mutating func double() -> Double {
        let any = Double(bitPattern: random.next())
        return any.isFinite && random.chance(2) ? any : Double.random(in: -1e6...1e6, using: &random)
    }

    mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "0", "\"", "\\", "/", "\n", "\r", "\t", "\u{0}", "\u{1F}", "\u{7F}", "é", "€", "😀",
            "\u{FFFD}",
            "\u{2028}", "-", " ",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a")
        }
        return text
    }
}
