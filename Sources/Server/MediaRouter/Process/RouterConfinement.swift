// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// Privileges that the router's process drops, irrevocably, before it reads anything from outside.
///
/// An attacker who takes over the process through the media engine is then a user without rights, in a
/// process that reads no one's files, starts nothing and dumps no core. Linux only; elsewhere ``apply()``
/// does nothing.
package struct RouterConfinement: Sendable, Equatable {
    /// Could not be put into force; the process should end.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// One sentence for people.
        package let description: String
    }

    /// What an older kernel does not support.
    package enum Gap: String, Sendable, CaseIterable {
        /// No filter of system calls (seccomp).
        case systemCalls
        /// No rules about files, TCP ports and signals (Landlock).
        case files
    }

    /// The user that root becomes; `nil` for `sightline` if there is such a user, else `nobody`.
    ///
    /// Only root can become someone else.
    package var user: String?
    /// The most that the process may allocate, bytes; beyond, it ends and is started again.
    package var memory: Int
    /// The most descriptors that it may have open: some three for each leg and network of the machine.
    package var openFiles: Int

    /// The defaults.
    package init(user: String? = nil, memory: Int = 2 << 30, openFiles: Int = 16_384) {
        self.user = user
        self.memory = memory
        self.openFiles = openFiles
    }

    /// Applies it to the calling thread and those that it starts; so it comes before any other.
    ///
    /// - Returns: What the kernel cannot do; the rest is in force.
    package func apply() throws(Failure) -> [Gap] {
        var raw = sl_confinement()
        raw.memory = UInt64(clamping: memory)
        raw.open_files = UInt64(clamping: openFiles)
        var unconfined: UInt32 = 0
        var error = sl_error()
        let isConfined =
            if let user {
                user.withCString { name in
                    raw.user = name
                    return sl_confine(&raw, &unconfined, &error)
                }
            } else {
                sl_confine(&raw, &unconfined, &error)
            }
        guard isConfined else { throw Failure(description: RouterEngineError(error).message) }
        return Gap.allCases.filter { unconfined & $0.flag != 0 }
    }
}

extension RouterConfinement.Gap {
    fileprivate var flag: UInt32 {
        switch self {
        case .systemCalls: UInt32(SL_UNCONFINED_CALLS)
        case .files: UInt32(SL_UNCONFINED_FILES)
        }
    }
}
