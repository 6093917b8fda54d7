// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// An enumeration that is written as the name of its case, `"excellent"`, while its raw value is a vendor's number.
///
/// Names are stable and readable; numbers exist for those who come from the vendor's constants.
public protocol CodableByName: RawRepresentable, VocabularyWord {
    /// The cases' names, worked out once: ``CodableByName/caseNames()``.
    static var names: [Self: String] { get }
}

extension CodableByName {
    /// The case's name, as it is written in JSON.
    public var name: String { Self.names[self] ?? "\(self)" }

    /// The case of that name; `nil` if there is none.
    public init?(name: String) {
        guard let match = Self.names.first(where: { $0.value == name })?.key else { return nil }
        self = match
    }

    /// What ``names`` is.
    public static func caseNames() -> [Self: String] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0, "\($0)") })
    }

    /// Reads the name of a case.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if no case has that name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let match = Self(name: name) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(Self.self) has no case \(name)")
        }
        self = match
    }

    /// Writes the name of the case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
