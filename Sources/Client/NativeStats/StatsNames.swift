// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Synchronization
import WebRTCStats

/// Names that the engine gives as pointers, translated once per process.
///
/// The engine's names of types and members live as long as the process, always at the same address; so the address
/// is the key, and a live report costs no string work for them.
struct StatsNames {
    private static let shared = Mutex(StatsNames())

    private var types: [UInt: String] = [:]
    private var members: [UInt: StatsMemberKey] = [:]
    private var isChanged = false

    /// The names known so far.
    ///
    /// Work on the copy, then ``keep()`` it: no lock is held while a report is read.
    static func known() -> StatsNames {
        shared.withLock { $0 }
    }

    /// Shares what was learnt since ``known()``.
    func keep() {
        guard isChanged else { return }
        Self.shared.withLock { shared in
            shared.types.merge(types) { known, _ in known }
            shared.members.merge(members) { known, _ in known }
        }
    }

    mutating func type(_ name: UnsafePointer<CChar>) -> String {
        let address = UInt(bitPattern: name)
        if let known = types[address] { return known }
        let type = String(cString: name)
        types[address] = type
        isChanged = true
        return type
    }

    mutating func member(_ name: UnsafePointer<CChar>) -> StatsMemberKey {
        let address = UInt(bitPattern: name)
        if let known = members[address] { return known }
        let key = StatsReportBuilder.key(for: String(cString: name))
        members[address] = key
        isChanged = true
        return key
    }
}
