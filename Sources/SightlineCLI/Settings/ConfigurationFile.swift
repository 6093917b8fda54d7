// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation

/// Settings in a JSON file: an object with the names of options, and `limits` and `timeouts` with theirs.
struct ConfigurationFile: Decodable {
    /// A value as it would be typed; a list has several, and `true` and `false` are those words.
    struct Value: Decodable {
        var texts: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let list = try? container.decode([Value].self) {
                texts = list.flatMap(\.texts)
            } else if let flag = try? container.decode(Bool.self) {
                texts = ["\(flag)"]
            } else if let number = try? container.decode(Int.self) {
                texts = ["\(number)"]
            } else if let number = try? container.decode(Double.self) {
                texts = ["\(number)"]
            } else {
                texts = [try container.decode(String.self)]
            }
        }
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue _: Int) { nil }
    }

    /// By the names of options.
    private(set) var options: [String: Value] = [:]
    /// `limits` and `timeouts`.
    private(set) var groups: [String: [String: Value]] = [:]

    static let groupNames = ["limits", "timeouts"]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for key in container.allKeys {
            if Self.groupNames.contains(key.stringValue) {
                groups[key.stringValue] = try container.decode([String: Value].self, forKey: key)
            } else {
                options[key.stringValue] = try container.decode(Value.self, forKey: key)
            }
        }
    }

    /// - Throws: `ValidationError` that says what is wrong with the file.
    static func read(_ path: String) throws -> ConfigurationFile {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("--config: '\(path)' cannot be read.")
        }
        do { return try JSONDecoder().decode(Self.self, from: data) } catch {
            throw ValidationError(
                "--config: '\(path)' should be a JSON object of settings: texts, numbers, true, false and lists of them."
            )
        }
    }
}
