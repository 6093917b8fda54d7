// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What a value is in JSON.
indirect enum JSONShape: Sendable {
    struct Member: Sendable {
        var name: String
        var shape: JSONShape
        /// Whether it may not be missing.
        var isRequired: Bool
    }

    case string, number, integer, boolean
    /// One of a few texts, which have no schema of their own.
    case words([String])
    /// What the schema of that name describes.
    case schema(String)
    case list(JSONShape)
    /// Values by names; these are the words of the schema of that name, if there is one.
    case map(JSONShape, of: String?)
    case object([Member])
}

extension JSONShape {
    /// What a shape says of a schema, in whatever else may stand there.
    private static let keys: Set = [
        "type", "$ref", "enum", "items", "properties", "required", "propertyNames",
    ]

    /// The schema that says this.
    ///
    /// It keeps what no type says of the one that is there: descriptions, bounds, examples, and the order of members.
    func schema(keeping former: StatsValue?) -> StatsValue {
        .object(said(former), keeping: former, without: Self.keys)
    }

    private func said(_ former: StatsValue?) -> [StatsMember] {
        switch self {
        case .string: return [Self.type("string")]
        case .number: return [Self.type("number")]
        case .integer: return [Self.type("integer")]
        case .boolean: return [Self.type("boolean")]
        case .words(let words):
            return [Self.type("string"), .init(name: "enum", value: .array(words.map(StatsValue.string)))]
        case .schema(let name): return [Self.reference(name)]
        case .list(let shape):
            return [Self.type("array"), .init(name: "items", value: shape.schema(keeping: former?["items"]))]
        case .map(let shape, let names):
            let values = shape.schema(keeping: former?["additionalProperties"])
            let words = names.map {
                StatsMember(name: "propertyNames", value: .object([Self.reference($0)]))
            }
            return [Self.type("object")] + (words.map { [$0] } ?? [])
                + [.init(name: "additionalProperties", value: values)]
        case .object(let members): return Self.object(members, keeping: former)
        }
    }

    private static func object(_ members: [Member], keeping former: StatsValue?) -> [StatsMember] {
        let old = former?["properties"]?.members ?? []
        let kept = old.compactMap { property in members.first { $0.name == property.name } }
        let all = kept + members.filter { member in !old.contains { $0.name == member.name } }
        let properties = all.map { member in
            StatsMember(
                name: member.name,
                value: member.shape.schema(keeping: old.first { $0.name == member.name }?.value))
        }
        var said = [type("object"), StatsMember(name: "properties", value: .object(properties))]
        let required = all.filter(\.isRequired).map { StatsValue.string($0.name) }
        if !required.isEmpty { said.append(.init(name: "required", value: .array(required))) }
        if former?["properties"] == nil {
            said.append(.init(name: "additionalProperties", value: .bool(false)))
        }
        return said
    }

    private static func type(_ name: String) -> StatsMember { .init(name: "type", value: .string(name)) }

    private static func reference(_ name: String) -> StatsMember {
        .init(name: "$ref", value: .string("#/components/schemas/\(name)"))
    }
}

extension StatsValue {
    /// An object of what is said, and of what is there already, in the order in which that stands.
    ///
    /// - Parameter keys: Names of which there is only what is said.
    static func object(
        _ said: [StatsMember], keeping former: StatsValue?, without keys: Set<String>
    ) -> StatsValue {
        let old = former?.members ?? []
        let kept = old.compactMap { member in
            said.first { $0.name == member.name } ?? (keys.contains(member.name) ? nil : member)
        }
        return .object(kept + said.filter { new in !old.contains { $0.name == new.name } })
    }

    /// What an object has; nothing of anything else.
    var members: [StatsMember] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The same with another value of a member, which is added if it is not there.
    func changing(_ name: String, _ change: (StatsValue?) throws -> StatsValue) rethrows -> StatsValue {
        let changed = StatsMember(name: name, value: try change(self[name]))
        guard self[name] != nil else { return .object(members + [changed]) }
        return .object(members.map { $0.name == name ? changed : $0 })
    }

    /// JSON laid out for people.
    func readable(_ indent: String = "") -> String {
        let inner = indent + "  "
        func list(_ entries: [String], _ begin: String, _ end: String) -> String {
            guard !entries.isEmpty else { return begin + end }
            return begin + "\n" + entries.map { inner + $0 }.joined(separator: ",\n") + "\n" + indent + end
        }
        switch self {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .int(let value): return "\(value)"
        case .uint(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let text): return Self.quoted(text)
        case .array(let values): return list(values.map { $0.readable(inner) }, "[", "]")
        case .object(let members):
            return list(members.map { "\(Self.quoted($0.name)): \($0.value.readable(inner))" }, "{", "}")
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }
}
