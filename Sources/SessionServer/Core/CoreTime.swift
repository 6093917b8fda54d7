// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A moment on both clocks of the server.
struct CoreTime: Sendable, Equatable {
    /// Unix ms.
    var unix: Double
    /// Since some moment; never goes backwards.
    var elapsed: Duration
}
