// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

/// What makes a stream or subscription part of a network test.
struct NetworkTestPart: Sendable {
    /// The network that is emulated for all parts of the test together; `nil` for the real one.
    var conditioner: (any NetworkConditioner)?
    /// Sends nothing before ``Publication/holdMedia(_:)``: media would be in the way of what is still being negotiated
    /// where there is hardly any room.
    var holdsMediaBack = true
    /// Of the test's audio, whatever there is to be heard, bps.
    var audioBitrate = Int(NetworkTestJudge.audioRate)
}
