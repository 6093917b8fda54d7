// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import NetworkEmulation
import SessionWire

/// The body that emulates a network: conditions by direction, or the same as text, or a schedule of them.
struct NetworkRequest: Sendable {
    /// What holds all the time; `nil` if that changes.
    let conditions: NetworkConditions?
    let schedule: ConditionSchedule

    /// Most steps of a schedule.
    static let stepLimit = 500

    /// Reads a body.
    ///
    /// - Throws: ``ServerError`` `malformed`, with what is wrong and what is right.
    init(json: Data) throws(ServerError) {
        do {
            try self.init(try JSONDecoder().decode(Body.self, from: json))
        } catch let error as NetworkConditions.SyntaxError {
            throw ServerError(.malformed, error.description)
        } catch {
            throw ServerError(.malformed, Self.sentence(error))
        }
    }

    private init(_ body: Body) throws(NetworkConditions.SyntaxError) {
        switch (body.conditions, body.schedule, body.up, body.down) {
        case (let text?, nil, nil, nil): self.init(try NetworkConditions(parsing: text))
        case (nil, let steps?, nil, nil):
            self.init(conditions: nil, schedule: try Self.schedule(steps))
        case (nil, nil, let up, let down) where up != nil || down != nil:
            var conditions = NetworkConditions()
            conditions.up = up ?? conditions.up
            conditions.down = down ?? conditions.down
            self.init(conditions)
        default:
            throw NetworkConditions.SyntaxError(
                #"say "up" and "down" such as {"down":{"loss":5}}, or "conditions", or "schedule", and only one of the three"#
            )
        }
    }

    private init(_ conditions: NetworkConditions) {
        self.init(conditions: conditions, schedule: ConditionSchedule(always: conditions))
    }

    private init(conditions: NetworkConditions?, schedule: ConditionSchedule) {
        self.conditions = conditions
        self.schedule = schedule
    }

    private static func schedule(
        _ steps: [[String: Value]]
    ) throws(NetworkConditions.SyntaxError) -> ConditionSchedule {
        guard (1...stepLimit).contains(steps.count) else {
            throw NetworkConditions.SyntaxError("a schedule has 1 to \(stepLimit) steps")
        }
        guard !steps.contains(where: { $0["signaling"] != nil }) else {
            throw NetworkConditions.SyntaxError(
                "signaling cannot be emulated here: it passes no media router")
        }
        let encoder = JSONEncoder()
        let lines = steps.map { String(decoding: (try? encoder.encode($0)) ?? Data(), as: UTF8.self) }
        return try ConditionSchedule(parsing: lines.joined(separator: "\n"))
    }

    private static func sentence(_ error: any Error) -> String {
        switch error {
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(path(context)): \(context.debugDescription)"
        case DecodingError.typeMismatch(let type, let context) where !context.codingPath.isEmpty:
            "\(path(context)) should be \(type == Double.self ? "a number" : type == String.self ? "a text" : "made otherwise")"
        default: #"the body should be a JSON object such as {"up":{"delay":50},"down":{"loss":5}}"#
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}

/// The body as it is written.
private struct Body: Decodable {
    private enum Key: String, CodingKey { case up, down, conditions, schedule }
    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue _: Int) { nil }
    }

    var up: NetworkConditions.Link?
    var down: NetworkConditions.Link?
    var conditions: String?
    var schedule: [[String: Value]]?

    init(from decoder: any Decoder) throws {
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys
        where Key(rawValue: key.stringValue) == nil {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: [key],
                    debugDescription: "this is not known here; a direction is \"up\" or \"down\""))
        }
        let container = try decoder.container(keyedBy: Key.self)
        up = try container.decodeIfPresent(NetworkConditions.Link.self, forKey: .up)
        down = try container.decodeIfPresent(NetworkConditions.Link.self, forKey: .down)
        conditions = try container.decodeIfPresent(String.self, forKey: .conditions)
        schedule = try container.decodeIfPresent([[String: Value]].self, forKey: .schedule)
    }
}

/// What stands in a step of a schedule.
private enum Value: Codable {
    case number(Double)
    case text(String)
    case flag(Bool)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .flag(try container.decode(Bool.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .flag(let flag): try container.encode(flag)
        }
    }
}
