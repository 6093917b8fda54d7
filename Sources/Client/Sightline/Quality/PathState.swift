// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What is known of the way that a stream's media take.
enum PathState: Sendable {
    /// They get through, or nothing says otherwise.
    case working
    /// This client's own network does not let them through.
    case broken
    /// Nothing gets through to the one client at the other end, and either may be why: it has crashed, perhaps.
    case unreachable
}
