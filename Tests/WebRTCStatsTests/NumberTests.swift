// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

@testable import WebRTCStats

@Suite("Numbers")
struct NumberTests {
    private func value(_ json: String) throws -> StatsValue? {
        try parse(#"[{"type":"t","id":"i","timestamp":1,"x":\#(json)}]"#).report.unknown.first?.members["x"]
    }

    @Test(
        "whole numbers are exact where 64 bits hold them",
        arguments: [
            ("0", StatsValue.int(0)), ("-0", .int(0)), ("7", .int(7)), ("-7", .int(-7)),
            ("999999999999999999", .int(999_999_999_999_999_999)),
            ("1000000000000000000", .int(1_000_000_000_000_000_000)),
            ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
            ("9223372036854775808", .uint(1 << 63)), ("18446744073709551615", .uint(.max)),
            ("18446744073709551616", .double(18_446_744_073_709_551_616)),
            ("-9223372036854775809", .double(-9_223_372_036_854_775_808)),
        ])
    func wholeNumbers(json: String, expected: StatsValue) throws {
        #expect(try value(json) == expected)
    }

    @Test(
        "hard decimal numbers are rounded right",
        arguments: [
            "0.1", "0.3", "1.0", "-0.0", "1e0", "1E+2", "5e-324", "2.4703282292062328e-324",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308", "1.7976931348623157e308", "9007199254740993.0", "9007199254740991e1",
            "0.000000000000000000000000000000000000000000000000000000000000001",
            "123456789012345678901234567890.5",
            "1.00000000000000011102230246251565404", "8.5e-55", "7.2057594037927933e16", "4.35", "1e22",
            "1e23",
            "1e55", "1e56", "3.5e-54", "9.114193830700924e+18", "0.0064394054995435408", "6929495644600919.5",
            "3.7455744005952583e15", "1e-400", "100000000000000008388608.0",
        ])
    func hardNumbers(json: String) throws {
        let expected = try #require(Double(json))
        let found = try #require(try value(json)?.number)
        #expect(found.bitPattern == expected.bitPattern)
    }

    @Test("random decimal numbers equal the standard library's", arguments: Seed.draw(3))
    func randomNumbers(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let digits = Int.random(in: 1...19, using: &random)
            let limit = (1..<digits).reduce(10 as UInt64) { limit, _ in limit * 10 }
            let mantissa = UInt64.random(in: 0..<limit, using: &random)
            let exponent = Int.random(in: -60...60, using: &random)
            guard let found = DecimalConversion.double(mantissa, exponent: exponent) else {
                #expect(
                    !PowersOfFive.exactExponents.contains(exponent), "\(mantissa)e\(exponent), seed \(seed)")
                continue
            }
            #expect(found == Double("\(mantissa)e\(exponent)"), "\(mantissa)e\(exponent), seed \(seed)")
        }
    }

    @Test("every printed Double is read back exactly", arguments: Seed.draw(2))
    func printedDoubles(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            #expect(try value(number.description)?.number == number, "\(number), seed \(seed)")
        }
    }
}
