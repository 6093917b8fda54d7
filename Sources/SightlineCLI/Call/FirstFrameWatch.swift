// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import Sightline
import Synchronization

/// Notes when a subscriber's first frames come.
final class FirstFrameWatch: Sendable {
    private let start = ContinuousClock.now
    private let state = Mutex(FrameTimes())

    /// What has been seen so far.
    var times: FrameTimes { state.withLock { $0 } }

    /// Watches a subscriber's frames until both times are known or the stream is over.
    func follow(_ subscriber: Subscriber) async {
        for await frame in subscriber.frames() {
            if note(frame, published: subscriber.stream.videoDimensions) { return }
        }
    }

    /// Notes a frame; true if there is nothing left to wait for.
    private func note(_ frame: ReceivedFrame, published: VideoSize?) -> Bool {
        let seconds = (ContinuousClock.now - start).seconds
        return state.withLock { times in
            if times.first == nil { times.first = seconds }
            guard let published, frame.width == published.width, frame.height == published.height else {
                return false
            }
            times.publishedSize = seconds
            return true
        }
    }
}
