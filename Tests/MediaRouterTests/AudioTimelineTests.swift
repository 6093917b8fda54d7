// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Testing

@Suite("Timestamps of forwarded audio")
struct AudioTimelineTests {
    private final class Timeline {
        private let timeline = sl_audio_timeline_create()
        deinit { sl_audio_timeline_destroy(timeline) }

        func take(_ timestamp: UInt32, leg: UInt64 = 1, ssrc: UInt32 = 7, at time: Int64) -> UInt32 {
            sl_audio_timeline_take(timeline, leg, ssrc, timestamp, time)
        }
    }

    @Test("Those of one origin are left as they are, past the end of their range, too")
    func oneOrigin() {
        let timeline = Timeline()
        let timestamps = (0..<10).map { UInt32.max - 4000 &+ UInt32($0) &* 960 }
        let taken = timestamps.enumerated().map { timeline.take($1, at: Int64($0) * 20) }
        #expect(taken == timestamps)
    }

    @Test(
        "Another leg or another SSRC continues where the one before stopped, by the time that has passed",
        arguments: [(2, 7), (1, 8)] as [(UInt64, UInt32)])
    func otherOrigin(leg: UInt64, ssrc: UInt32) {
        let timeline = Timeline()
        #expect(timeline.take(960, at: 1000) == 960)
        #expect(timeline.take(3_000_000_000, leg: leg, ssrc: ssrc, at: 1040) == 960 + 40 * 48)
        #expect(timeline.take(3_000_000_960, leg: leg, ssrc: ssrc, at: 1060) == 960 + 60 * 48)
        // In the same moment, one tick later: two packets have two timestamps.
        #expect(timeline.take(12, at: 1060) == 960 + 60 * 48 + 1)
    }
}
