// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A named value of a stats entry.
public struct StatsMember: Sendable, Hashable {
    /// Name of the member in the engine's spelling.
    public var name: String

    /// Its value.
    public var value: StatsValue

    /// Creates a member.
    public init(name: String, value: StatsValue) {
        self.name = name
        self.value = value
    }
}

extension [StatsMember] {
    /// The value of the first member of that name; `nil` if there is none.
    public subscript(name: String) -> StatsValue? {
        first { $0.name == name }?.value
    }
}
