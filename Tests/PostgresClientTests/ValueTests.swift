// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

@testable import PostgresClient

extension PostgresTests {
    @Suite("Values")
    struct Values {
        private static func back<Value: PostgresReadable & Sendable>(
            _ value: PostgresValue, as type: Value.Type
        ) async throws -> Value? {
            let connection = try await PostgresConnection.shared()
            defer { withExtendedLifetime(connection) {} }
            return try await connection.run { session in
                try #require(try session.execute("SELECT $1", [value]).first).optional(0, as: type)
            }
        }

        @Test("whole numbers come back as they were sent", arguments: [.min, -1, 0, 1, .max] as [Int64])
        func integers(number: Int64) async throws {
            #expect(try await Self.back(.int64(number), as: Int64.self) == number)
            let small = Int32(clamping: number)
            #expect(try await Self.back(.int32(small), as: Int64.self) == Int64(small))
            let smaller = Int16(clamping: number)
            #expect(try await Self.back(.int16(smaller), as: Int.self) == Int(smaller))
        }

        @Test(
            "numbers with a fraction come back bit by bit",
            arguments: [
                0, -0.0, 1.5, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .nan,
            ] as [Double])
        func fractions(number: Double) async throws {
            #expect(try await Self.back(.double(number), as: Double.self)?.bitPattern == number.bitPattern)
            let short = Float(number)
            #expect(
                try await Self.back(.float(short), as: Double.self).map { Float($0).isNaN } == short.isNaN)
            if !short.isNaN {
                #expect(try await Self.back(.float(short), as: Double.self) == Double(short))
            }
        }

        @Test(
            "text comes back as it was sent, whatever it would mean in SQL",
            arguments: ["", "'; DROP TABLE x; --", "\"", "\\", "$1", "ä 🎧 \u{1}\u{7F}", "%s%n"])
        func texts(text: String) async throws {
            #expect(try await Self.back(.text(text), as: String.self) == text)
            let list = PostgresValue.texts([text, nil, text])
            let connection = try await PostgresConnection.shared()
            let (count, second) = try await connection.run { session in
                let row = try #require(
                    try session.execute(
                        "SELECT count(*), (array_agg(e))[2] IS NULL FROM unnest($1) WITH ORDINALITY AS u(e, n)",
                        [list]
                    ).first)
                return (try row.value(0, as: Int64.self), try row.value(1, as: Bool.self))
            }
            #expect(count == 3 && second)
        }

        @Test("text with a NUL is refused whole, and not cut off")
        func nul() async throws {
            let error = await outcome { try await Self.back(.text("a\0b"), as: String.self) }.postgresError
            #expect(error?.kind == .refused(SQLState("22021")) && error?.consequence == .never)
            let statement = try await PostgresConnection.shared()
            let other = await outcome {
                try await statement.run { try $0.execute("SELECT 1\0 FROM no").count }
            }
            #expect(other.postgresError?.kind == .invalid)
        }

        @Test("bytes, truths, none and lists come back")
        func others() async throws {
            let bytes = (0...255).map { UInt8($0) }
            #expect(try await Self.back(.bytes(bytes), as: [UInt8].self) == bytes)
            #expect(try await Self.back(.bytes([]), as: [UInt8].self) == [])
            #expect(try await Self.back(.bool(true), as: Bool.self) == true)
            #expect(try await Self.back(.bool(false), as: Bool.self) == false)
            let connection = try await PostgresConnection.shared()
            let found = try await connection.run { session in
                let row = try #require(
                    try session.execute(
                        "SELECT $1::bigint, 7 = ANY($2), sum(octet_length(b)), $4::bigint[] = '{}' FROM unnest($3) AS b",
                        [.null, .int64s([.min, 7, .max]), .blobs([[], [1, 2]]), .int64s([])]
                    ).first)
                return (
                    try row.optional(0, as: Int64.self), try row.value(1, as: Bool.self),
                    try row.value(2, as: Int64.self), try row.value(3, as: Bool.self)
                )
            }
            #expect(found.0 == nil && found.1 && found.2 == 2 && found.3)
        }

        @Test(
            "times come back to the microsecond",
            arguments: [0, 1, -1, 1_700_000_000_123_456, -62_000_000_000_000_000, .max] as [Int64])
        func times(microseconds: Int64) async throws {
            let back = try await Self.back(.time(microseconds: microseconds), as: PostgresInstant.self)
            #expect(back?.microseconds == microseconds)
        }

        @Test(
            "a time that no one has is none, and no trap",
            arguments: [.min, .min + 1, -300_000_000_000_000_000] as [Int64])
        func noTimes(microseconds: Int64) async throws {
            let back = await outcome {
                try await Self.back(.time(microseconds: microseconds), as: PostgresInstant.self)
            }
            // An infinity cannot be read, and what is beyond the server's years it refuses.
            #expect([.invalid, .refused(SQLState("22008"))].contains(back.postgresError?.kind), "\(back)")
        }

        @Test("what is read as something else is an error")
        func types() async throws {
            let connection = try await PostgresConnection.shared()
            func kind(_ read: @escaping @Sendable (PostgresRow) throws -> Void) async -> PostgresError.Kind? {
                await outcome {
                    try await connection.run { session in
                        try read(
                            try #require(
                                try session.execute("SELECT 1::bigint, 'a'::text, NULL::text, 1.5::numeric")
                                    .first))
                    }
                }.postgresError?.kind
            }
            #expect(await kind { _ = try $0.value(0, as: String.self) } == .invalid)
            #expect(await kind { _ = try $0.value(1, as: Int64.self) } == .invalid)
            #expect(await kind { _ = try $0.value(2, as: String.self) } == .invalid)
            #expect(await kind { _ = try $0.value(3, as: Double.self) } == .invalid)
            #expect(await kind { _ = try $0.value(4, as: Int64.self) } == .invalid)
            #expect(await kind { _ = try $0.value(-1, as: Int64.self) } == .invalid)
            #expect(await kind { _ = try $0.value(.max, as: Int64.self) } == .invalid)
            #expect(await kind { _ = try $0.optional(2, as: String.self) } == nil)
        }

        @Test("any bytes of any type are a value or none", arguments: Seed.draw(1))
        func anyBytes(seed: UInt64) {
            var random = SeededRandom(seed: seed)
            let types: [PostgresType] = [
                .unspecified, .bool, .bytea, .name, .int8, .int2, .int4, .text, .float4, .float8, .varchar,
                .timestamptz,
            ]
            for _ in 0..<20_000 {
                let bytes = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let type = types.randomElement(using: &random) ?? .bool
                bytes.withUnsafeBytes { bytes in
                    if let number = Int64(type, bytes) {
                        #expect([.int2: 2, .int4: 4, .int8: 8][type] == bytes.count, "seed \(seed)")
                        #expect(Int(type, bytes) == Int(number), "seed \(seed)")
                    }
                    #expect((Bool(type, bytes) != nil) == (type == .bool && bytes.count == 1), "seed \(seed)")
                    #expect(([UInt8](type, bytes) != nil) == (type == .bytea), "seed \(seed)")
                    if let text = String(type, bytes) {
                        #expect(text.utf8.elementsEqual(bytes), "seed \(seed)")
                    }
                    if Double(type, bytes) != nil {
                        #expect([.float4: 4, .float8: 8][type] == bytes.count, "seed \(seed)")
                    }
                    if PostgresInstant(type, bytes) != nil { #expect(bytes.count == 8, "seed \(seed)") }
                }
            }
        }

        @Test("too many parameters, and too large ones, are refused before they are sent")
        func limits() async throws {
            let connection = try await PostgresConnection.shared()
            let many = await outcome {
                try await connection.run { session in
                    try session.execute("SELECT 1", Array(repeating: .null, count: 65_536)).count
                }
            }
            #expect(many.postgresError?.kind == .invalid)
            let large = await outcome {
                try await connection.run { session in
                    let bytes = [UInt8](repeating: 0, count: PostgresSession.byteLimit / 4 + 1)
                    return try session.execute(
                        "SELECT $1, $2, $3, $4", Array(repeating: .bytes(bytes), count: 4)
                    ).count
                }
            }
            #expect(large.postgresError?.kind == .invalid)
            // Nothing of it has reached the server, and the connection is what it was.
            #expect(try await connection.run { try $0.execute("SELECT 1").count } == 1)
        }
    }
}
