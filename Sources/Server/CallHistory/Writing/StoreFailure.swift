// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Consequence of an error that a store threw.
package enum StoreFailure: Sendable, Equatable {
    /// It may pass, such as a full disk or someone else's lock: the same may be written later.
    case passing
    /// What is stored is damaged, and nothing more can be.
    case damaged
    /// Everything is as it should be: it is what was to be written.
    case records
}
