// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How long, and of how many observed calls, it is remembered that the application has ended them.
package enum EndedCallMemory {
    /// Longer than any token lasts that was made before.
    package static let age: Duration = .seconds(31 * 86_400)
    /// Of very many those that were ended first are forgotten.
    package static let limit = 10_000
}
