// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Storage failures; each is reported once, when it begins.
package enum StoreIncident: Sendable {
    /// Nothing can be written just now, such as for a full disk; it is tried again and again.
    case paused(any Error)
    /// Writing continues.
    case resumed
    /// The file is damaged: nothing is written to it any more.
    case damaged(any Error)
    /// This many records were omitted, because the database refuses them and nothing else.
    case leftOut(records: Int, any Error)
}
