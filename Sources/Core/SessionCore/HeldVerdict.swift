// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Whether something is so: once it has been for some time, until it has not been for some time.
struct HeldVerdict: Sendable {
    private(set) var isTrue = false
    /// When it began to look like the opposite of that; `nil` while it does not.
    private var oppositeSince: Duration?

    /// Takes how it looks.
    ///
    /// - Parameter time: For how long it has to look so before that counts, seconds.
    mutating func take(_ isTrue: Bool, for time: Double, at now: Duration) {
        guard isTrue != self.isTrue else { return oppositeSince = nil }
        let since = oppositeSince ?? now
        oppositeSince = since
        guard (now - since).seconds >= time else { return }
        self.isTrue = isTrue
        oppositeSince = nil
    }
}
