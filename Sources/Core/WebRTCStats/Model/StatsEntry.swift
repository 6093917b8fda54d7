// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One object of a stats report.
public protocol StatsEntry: Sendable, Equatable {
    /// Id of the entry, unique in its report.
    var id: String { get set }

    /// When the values were measured, in Unix milliseconds.
    ///
    /// Entries that come from RTCP (`remote-inbound-rtp`, `remote-outbound-rtp`) carry the time their report
    /// arrived. Values of a monotonic clock (`performance.now()`) are kept as they are.
    var timestamp: Double { get set }

    /// Members outside the specification, and members whose value had the wrong type.
    var extra: [StatsMember] { get set }

    /// Every reported member by name, without `type`, `id` and `timestamp`; the ``extra`` ones come last.
    var members: [StatsMember] { get }
}
