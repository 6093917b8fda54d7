// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A moment on both clocks of the server.
package struct CoreTime: Sendable, Equatable {
    /// Unix ms.
    package var unix: Double
    /// Since some moment; never goes backwards.
    package var elapsed: Duration

    package init(unix: Double, elapsed: Duration) {
        self.unix = unix
        self.elapsed = elapsed
    }
}
