// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Duration {
    /// Seconds, with fractions.
    var seconds: Double { self / .seconds(1) }
}
