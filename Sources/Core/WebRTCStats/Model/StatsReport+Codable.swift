// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A report inside another message. The form is that of ``json()``; where a report stands alone, ``json()`` and
/// ``parse(_:limits:)`` are many times faster, keep the kinds of extra numbers apart and name issues.
extension StatsReport: Codable {
    /// Reads an array of entries, or an object with an entry per id.
    ///
    /// As lenient as ``parse(_:limits:)``: what cannot be read as it stands costs only itself.
    ///
    /// - Throws: `DecodingError` if the value is neither array nor object, or nested too deep.
    public init(from decoder: any Decoder) throws {
        var builder = StatsReportBuilder()
        if var array = try? decoder.unkeyedContainer() {
            while !array.isAtEnd {
                builder.add(try array.decode(StatsValue.self), fallbackID: nil)
            }
        } else {
            let object = try decoder.container(keyedBy: MemberName.self)
            for key in object.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
                builder.add(try object.decode(StatsValue.self, forKey: key), fallbackID: key.stringValue)
            }
        }
        self = builder.finish()
    }

    /// Writes an array of entries.
    public func encode(to encoder: any Encoder) throws {
        var array = encoder.unkeyedContainer()
        var entries: [StatsValue] = []
        forEachEntry { type, entry in entries.append(.object(Self.members(of: entry, type: type))) }
        for entry in entries { try array.encode(entry) }
    }

    private static func members(of entry: any StatsEntry, type: String) -> [StatsMember] {
        let identity = [
            StatsMember(name: "type", value: .string(type)),
            StatsMember(name: "id", value: .string(entry.id)),
            StatsMember(name: "timestamp", value: .double(entry.timestamp)),
        ]
        return identity + entry.members.filter { !StatsReportBuilder.key(for: $0.name).isReserved }
    }
}

extension StatsReportBuilder {
    /// Adds an entry in the form of an object; ignored if it has no type or no id.
    fileprivate mutating func add(_ value: StatsValue, fallbackID: String?) {
        guard case .object(let members) = value, let type = members["type"]?.text,
            let id = members["id"]?.text ?? fallbackID
        else { return }
        begin(type: type, id: id, timestamp: members["timestamp"]?.number ?? .nan)
        for member in members {
            set(Self.key(for: member.name), member.value)
        }
        end()
    }
}
