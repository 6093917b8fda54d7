// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A member name, looked up once.
///
/// Get it from ``StatsReportBuilder/key(for:)`` and keep it: setting a member by key costs no string comparison.
public struct StatsMemberKey: Sendable, Hashable {
    /// Number of the name in ``MemberNames``; `0` if it is not there.
    let number: UInt8
    private let unlisted: String

    init(number: UInt8) {
        self.number = number
        unlisted = ""
    }

    init(unlisted name: String) {
        number = 0
        unlisted = name
    }

    /// The member's name.
    public var name: String {
        number == 0 ? unlisted : MemberNames.all[Int(number) - 1]
    }
}

extension StatsMemberKey {
    static let type = StatsMemberKey(number: 1)
    static let id = StatsMemberKey(number: 2)
    static let timestamp = StatsMemberKey(number: 3)

    /// Whether the name is one of those that every entry has beside its members.
    var isReserved: Bool { number &- 1 < 3 }
}
