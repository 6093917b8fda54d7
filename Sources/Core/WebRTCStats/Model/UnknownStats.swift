// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// An entry whose type is not in the specification, kept whole.
///
/// The obsolete types `track` and `stream` are such: they repeat counters of the RTP streams, and adding them up
/// would count twice.
public struct UnknownStats: StatsEntry {
    /// Wire name of the entry's type.
    public var type: String

    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// Everything the entry holds but `type`, `id` and `timestamp`.
    public var members: [StatsMember]

    /// The same as ``members``: nothing of an unknown type is known.
    public var extra: [StatsMember] {
        get { members }
        // In place: an entry with thousands of members would be copied for each.
        _modify { yield &members }
    }

    /// Creates an entry.
    public init(type: String, id: String, timestamp: Double, members: [StatsMember] = []) {
        self.type = type
        self.id = id
        self.timestamp = timestamp
        self.members = members
    }
}
