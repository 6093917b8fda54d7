// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Learns what a type is in JSON by encoding examples: a member that is absent is noticed as well.
final class ShapeEncoder: Encoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let known: KnownShapes
    /// What was written as a whole; `nil` if members were.
    private var whole: JSONShape?
    private var members: [JSONShape.Member] = []

    private init(_ known: KnownShapes) { self.known = known }

    /// What the type of examples is, even if it has a schema of its own; they are to have all members together.
    ///
    /// - Throws: `EncodingError` if there are none, or a list in one of them is empty.
    static func shape(of examples: [any Encodable], _ known: KnownShapes) throws -> JSONShape {
        let shapes = try examples.map { try look(into: $0, known) }
        guard let first = shapes.first else { throw noShape("nothing") }
        return shapes.dropFirst().reduce(first) { $0.merged(with: $1) }
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedShapes(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { ListShape(encoder: self) }

    func singleValueContainer() -> any SingleValueEncodingContainer { WholeShape(encoder: self) }

    private static func look(into value: some Encodable, _ known: KnownShapes) throws -> JSONShape {
        let encoder = ShapeEncoder(known)
        try value.encode(to: encoder)
        return encoder.whole ?? .object(encoder.members)
    }

    /// What a type is, by a value of it if it has members.
    fileprivate func shape<Value: Encodable>(_ type: Value.Type, _ value: Value?) throws -> JSONShape {
        if let shape = known.shape(of: type) { return shape }
        guard let value else { throw noShape("\(type)") }
        return try Self.look(into: value, known)
    }

    fileprivate func note(_ key: some CodingKey, _ shape: JSONShape, isRequired: Bool) {
        members.append(.init(name: key.stringValue, shape: shape, isRequired: isRequired))
    }

    fileprivate func note(_ shape: JSONShape) { whole = shape }
}

extension JSONShape {
    /// What is one of both; a member that one of them lacks may be missing.
    fileprivate func merged(with other: JSONShape) -> JSONShape {
        guard case .object(let mine) = self, case .object(let theirs) = other else { return self }
        let both = mine.map { member in
            var member = member
            let same = theirs.first { $0.name == member.name }
            member.isRequired = member.isRequired && same?.isRequired == true
            return member
        }
        let added = theirs.filter { member in !mine.contains { $0.name == member.name } }.map { member in
            var member = member
            member.isRequired = false
            return member
        }
        return .object(both + added)
    }
}

// MARK: - Containers

private struct KeyedShapes<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ShapeEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw noShape(key.stringValue) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        encoder.note(key, try encoder.shape(Value.self, value), isRequired: true)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        encoder.note(key, try encoder.shape(Value.self, value), isRequired: false)
    }

    // By their defaults these would not be seen where they are absent.

    func encodeIfPresent(_: String?, forKey key: Key) { encoder.note(key, .string, isRequired: false) }
    func encodeIfPresent(_: Bool?, forKey key: Key) { encoder.note(key, .boolean, isRequired: false) }
    func encodeIfPresent(_: Double?, forKey key: Key) { encoder.note(key, .number, isRequired: false) }
    func encodeIfPresent(_: Int?, forKey key: Key) { encoder.note(key, .integer, isRequired: false) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy _: Nested.Type, forKey _: Key
    ) -> KeyedEncodingContainer<Nested> { encoder.container(keyedBy: Nested.self) }

    func nestedUnkeyedContainer(forKey _: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey _: Key) -> any Encoder { encoder }
}

private struct WholeShape: SingleValueEncodingContainer {
    let encoder: ShapeEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws { throw noShape("a value that is absent") }

    func encode<Value: Encodable>(_ value: Value) throws {
        encoder.note(try encoder.shape(Value.self, value))
    }
}

private struct ListShape: UnkeyedEncodingContainer {
    let encoder: ShapeEncoder
    var codingPath: [any CodingKey] { [] }
    private(set) var count = 0

    init(encoder: ShapeEncoder) { self.encoder = encoder }

    func encodeNil() throws { throw noShape("a list's entry") }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        encoder.note(.list(try encoder.shape(Value.self, value)))
        count += 1
    }

    func nestedContainer<Nested: CodingKey>(keyedBy _: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.container(keyedBy: Nested.self)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder }
}

private func noShape(_ what: String) -> EncodingError {
    .invalidValue(what, .init(codingPath: [], debugDescription: "nothing shows what \(what) is in JSON"))
}
