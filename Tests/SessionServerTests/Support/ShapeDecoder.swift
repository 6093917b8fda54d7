// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Learns what a type is in JSON by decoding one: it hands out placeholders, and takes note of what is asked for.
final class ShapeDecoder: Decoder {
    /// The name by which a dictionary is asked for all it has.
    fileprivate static let anyName = "*"

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    fileprivate let known: KnownShapes
    /// What was asked for as a whole; `nil` if members were.
    fileprivate var whole: JSONShape?
    fileprivate var members: [JSONShape.Member] = []
    /// Members that may be missing.
    fileprivate var optional: Set<String> = []

    fileprivate init(_ known: KnownShapes) { self.known = known }

    /// What a type is, even if it has a schema of its own.
    static func shape<Value: Decodable>(of type: Value.Type, _ known: KnownShapes) throws -> JSONShape {
        let decoder = ShapeDecoder(known)
        return decoder.shape(of: try Value(from: decoder))
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedPlaceholders(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { ListPlaceholder(decoder: self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { Placeholder(decoder: self) }
}

// MARK: - What is asked for

extension ShapeDecoder {
    /// A placeholder of a type, and what that is.
    fileprivate func read<Value: Decodable>(_ type: Value.Type) throws -> (value: Value, shape: JSONShape) {
        if let (value, shape) = KnownShapes.simple(type), let value = value as? Value {
            return (value, shape)
        }
        if let shape = known.words(type), let words = type as? any CaseIterable.Type,
            let value = Self.first(words) as? Value
        {
            return (value, shape)
        }
        let name = known.name(of: type)
        if let name, let value = known.examples[ObjectIdentifier(type)] as? Value {
            return (value, .schema(name))
        }
        let decoder = ShapeDecoder(known)
        let value = try Value(from: decoder)
        return (value, name.map(JSONShape.schema) ?? decoder.shape(of: value))
    }

    private static func first<Words: CaseIterable>(_: Words.Type) -> Any? { Words.allCases.first }

    /// What the value that was decoded is.
    fileprivate func shape(of value: Any) -> JSONShape {
        if let whole { return whole }
        if members.count == 1, members[0].name == Self.anyName {
            let word = (type(of: value) as? any WordCounting.Type)?.word
            return .map(members[0].shape, of: word.flatMap(known.name))
        }
        // Words are read as texts where those of newer peers are to be.
        var types: [String: Any.Type] = [:]
        for child in Mirror(reflecting: value).children {
            if let label = child.label { types[label] = type(of: child.value) }
        }
        return .object(
            members.map { member in
                var member = member
                if case .string = member.shape, let type = types[member.name],
                    let words = known.words((type as? any Absentable.Type)?.wrapped ?? type)
                {
                    member.shape = words
                }
                member.isRequired = !optional.contains(member.name)
                return member
            })
    }
}

/// An optional.
private protocol Absentable {
    static var wrapped: Any.Type { get }
}

extension Optional: Absentable {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

/// How often words occur.
protocol WordCounting {
    static var word: Any.Type { get }
}

// MARK: - Containers

private struct KeyedPlaceholders<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [Key(stringValue: ShapeDecoder.anyName)].compactMap(\.self) }

    /// Only what may be missing is asked for.
    func contains(_ key: Key) -> Bool {
        decoder.optional.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey _: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let (value, shape) = try decoder.read(type)
        decoder.members.append(.init(name: key.stringValue, shape: shape, isRequired: true))
        return value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy _: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw noPlaceholder(of: key.stringValue) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw noPlaceholder(of: key.stringValue)
    }

    func superDecoder() throws -> any Decoder { throw noPlaceholder(of: "super") }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw noPlaceholder(of: key.stringValue) }
}

private struct Placeholder: SingleValueDecodingContainer {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (value, shape) = try decoder.read(type)
        decoder.whole = shape
        return value
    }
}

/// A list of one.
private struct ListPlaceholder: UnkeyedDecodingContainer {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }
    var isAtEnd: Bool { currentIndex > 0 }
    private(set) var currentIndex = 0

    init(decoder: ShapeDecoder) { self.decoder = decoder }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (value, shape) = try decoder.read(type)
        decoder.whole = .list(shape)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy _: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { throw noPlaceholder(of: "a list's entry") }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw noPlaceholder(of: "a list's entry")
    }

    mutating func superDecoder() throws -> any Decoder { throw noPlaceholder(of: "super") }
}

private func noPlaceholder(of name: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "\(name) is decoded in a way that shows no shape"))
}
