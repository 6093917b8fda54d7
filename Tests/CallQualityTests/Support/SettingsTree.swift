// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Settings as a file has them.
enum SettingsTree: Codable, Equatable {
    case flag(Bool)
    case number(Double)
    case list([SettingsTree])
    case object([String: SettingsTree])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let list = try? container.decode([SettingsTree].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: SettingsTree].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    /// The same settings with other values.
    var changed: SettingsTree {
        switch self {
        case .flag(let flag): .flag(!flag)
        case .number(let number): .number(number + 1)
        case .list(let list): .list(list.map(\.changed))
        case .object(let object): .object(object.mapValues(\.changed))
        }
    }

    /// Each flag and number, by its path.
    func leaves(_ path: String) -> [String: SettingsTree] {
        var all: [String: SettingsTree] = [:]
        switch self {
        case .flag, .number: all[path] = self
        case .list(let list):
            for (index, item) in list.enumerated() {
                all.merge(item.leaves("\(path)[\(index)]")) { first, _ in first }
            }
        case .object(let object):
            for (name, item) in object {
                all.merge(item.leaves(path.isEmpty ? name : "\(path).\(name)")) { first, _ in first }
            }
        }
        return all
    }
}
