// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Rules whose settings can be changed in part, and can say what is wrong with them.
protocol Settings: Sendable {
    /// Each property once.
    static var settings: [Setting<Self>] { get }

    /// Adds a sentence for each value that makes no sense; the path names the settings in it.
    func check(_ path: String, _ problems: inout [String])
}

extension Settings {
    /// Takes over what the decoder has and leaves the rest alone.
    ///
    /// A name that is no setting is refused: a misspelled one would silently keep its default.
    mutating func update(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SettingName.self)
        for key in container.allKeys where !Self.settings.contains(where: { $0.name == key.stringValue }) {
            let known = Self.settings.map(\.name).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "\(key.stringValue) is no setting; there are \(known)"))
        }
        for setting in Self.settings { try setting.read(&self, container) }
    }

    func check(_ path: String, _ problems: inout [String]) {
        for setting in Self.settings {
            setting.check(self, path.isEmpty ? setting.name : "\(path).\(setting.name)", &problems)
        }
    }

    /// Makes sure that every value makes sense.
    func validate(_ path: String) throws(QualityConfigurationError) {
        var problems: [String] = []
        check(path, &problems)
        if !problems.isEmpty { throw QualityConfigurationError(problems: problems) }
    }
}

/// The name of a setting in a file.
struct SettingName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { return nil }
}

/// Settings that make no sense.
public struct QualityConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, a sentence for each value.
    public var problems: [String]

    /// All problems, one a line.
    public var description: String { problems.joined(separator: "\n") }
}
