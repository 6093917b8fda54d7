// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Any name in an object.
private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}

extension Decoder {
    /// Refuses names that are no settings: a misspelled one would silently keep its default.
    func refuseUnknownKeys<Key: CodingKey & CaseIterable>(_: Key.Type) throws {
        let known = Key.allCases.map(\.stringValue)
        for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription:
                        "\(key.stringValue) is no setting; there are \(known.joined(separator: ", "))"))
        }
    }
}

extension KeyedDecodingContainer {
    /// Reads a value, if it is there.
    func read<Value: Decodable>(_ value: inout Value, _ key: Key) throws {
        value = try decodeIfPresent(Value.self, forKey: key) ?? value
    }

    /// Reads what is there of settings within settings.
    func read<Value: Settings & Decodable>(_ value: inout Value, _ key: Key) throws {
        if contains(key) { try value.update(from: superDecoder(forKey: key)) }
    }

    /// Reads a value that may be nothing, if it is there.
    func read<Value: Decodable>(_ value: inout Value?, _ key: Key) throws {
        value = try decodeIfPresent(Value.self, forKey: key) ?? value
    }
}
