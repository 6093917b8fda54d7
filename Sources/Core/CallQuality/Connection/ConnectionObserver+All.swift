// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

extension ConnectionObserver.Result {
    /// All of it: what is sent first, the tracks of each direction after its whole.
    public var all: [StreamObservation] {
        ([sent].compactMap(\.self) + sentTracks).map(StreamObservation.publisher)
            + ([received].compactMap(\.self) + receivedTracks).map(StreamObservation.subscriber)
    }
}
