// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Duration {
    /// As a number of seconds, with fractions.
    package var seconds: Double { self / .seconds(1) }
    /// As a number of milliseconds, with fractions.
    package var milliseconds: Double { self / .milliseconds(1) }
}
