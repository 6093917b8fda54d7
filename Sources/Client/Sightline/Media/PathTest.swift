// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

/// Makes a session one whose streams are there to test the network, not to be seen and heard.
///
/// They send nothing at first (media would be in the way of what is still being negotiated where there is hardly any
/// room), may fill the network, and the server says what it counts of them.
struct PathTest: Sendable {
    /// The network that is emulated for all streams together, as for the one line that a client has; `nil` for the real
    /// one.
    var conditioner: (any NetworkConditioner)?
    /// Of the audio, whatever there is to be heard, bps.
    var audioBitrate: Int
}
