// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

extension ConnectionObserver.Result {
    /// All of it: what is sent first, the tracks of each direction after its whole.
    public var all: [StreamObservation] {
        var all: [StreamObservation] = []
        all.reserveCapacity(2 + sentTracks.count + receivedTracks.count)
        if let sent { all.append(.publisher(sent)) }
        for track in sentTracks { all.append(.publisher(track)) }
        if let received { all.append(.subscriber(received)) }
        for track in receivedTracks { all.append(.subscriber(track)) }
        return all
    }
}
