// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What is known of types in JSON without looking into them.
struct KnownShapes {
    /// Names of schemas, by ``ObjectIdentifier`` of their types.
    var names: [ObjectIdentifier: String] = [:]
    /// Values of types that cannot be decoded from placeholders.
    var examples: [ObjectIdentifier: Any] = [:]

    func name(of type: Any.Type) -> String? { names[ObjectIdentifier(type)] }

    /// What a type is; `nil` if its members have to be looked at.
    func shape(of type: Any.Type) -> JSONShape? {
        Self.simple(type)?.shape ?? words(type) ?? name(of: type).map(JSONShape.schema)
    }

    /// What a vocabulary is; `nil` if the type is none.
    func words(_ type: Any.Type) -> JSONShape? {
        guard let words = type as? any CaseIterable.Type, let names = Self.names(words) else { return nil }
        return name(of: type).map(JSONShape.schema) ?? .words(names)
    }

    /// A value of a type without members, and what that is.
    static func simple(_ type: Any.Type) -> (value: Any, shape: JSONShape)? {
        switch type {
        case is String.Type: ("", .string)
        case is Bool.Type: (false, .boolean)
        case is Double.Type: (0.0, .number)
        case let whole as any FixedWidthInteger.Type: (zero(whole), .integer)
        default: nil
        }
    }

    private static func zero<Whole: FixedWidthInteger>(_: Whole.Type) -> Any { Whole.zero }

    /// The words of a vocabulary; `nil` if its values are written as something else.
    private static func names<Words: CaseIterable>(_: Words.Type) -> [String]? {
        let names = Words.allCases.compactMap { word in
            (word as? any VocabularyWord)?.name ?? (word as? any RawRepresentable)?.rawValue as? String
        }
        return names.count == Words.allCases.count ? names : nil
    }
}
