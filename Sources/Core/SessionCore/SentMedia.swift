// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What a peer connection of an observed call sends.
struct SentMedia: Sendable {
    /// What its receivers may know of it; its times are of ``CoreTime/elapsed``, ms.
    let snapshot: PublisherSnapshot
    /// What the app calls its tracks.
    let names: Set<String>
}
