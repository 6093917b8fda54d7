// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation

/// What the requests of the OpenTelemetry protocol 1 have in common, in its JSON encoding.
enum OTLP {
    /// Where telemetry comes from.
    struct Resource: Encodable, Sendable {
        var attributes: [Attribute]

        /// - Parameter instance: Of this run of the server, like no other's.
        init(build: SessionServerConfiguration.Build, instance: String) {
            attributes = [.init("service.name", .text("sightline"))]
            attributes.append(.init("service.version", .text(build.version)))
            attributes.append(.init("service.instance.id", .text(instance)))
        }
    }

    /// What produces telemetry.
    struct Scope: Encodable, Sendable {
        var name = "sightline"
    }

    struct Attribute: Encodable, Sendable, Equatable {
        var key: String
        var value: Value

        init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    enum Value: Encodable, Sendable, Equatable {
        case text(String)
        case integer(Int64)
        case real(Double)

        private enum CodingKeys: String, CodingKey { case stringValue, intValue, doubleValue }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .text(let text): try container.encode(text, forKey: .stringValue)
            case .integer(let value): try container.encode("\(value)", forKey: .intValue)
            case .real(let value): try container.encode(value, forKey: .doubleValue)
            }
        }
    }

    /// A time as nanoseconds since 1970: a decimal string, as with every integer of 64 bits.
    ///
    /// - Parameter unix: Unix ms.
    ///   Later than the year 2262 it is then: a clock may say anything.
    static func nanoseconds(_ unix: Double) -> String {
        "\(min(Int64(unixTime: unix), Int64.max / 1_000_000) * 1_000_000)"
    }

    /// A request's body.
    static func body(_ request: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return try encoder.encode(request)
    }
}
