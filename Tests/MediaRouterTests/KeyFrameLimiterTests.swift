// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Testing

@Suite("The key frame limiter")
struct KeyFrameLimiterTests {
    /// What happens at a time, in ms.
    enum Event: Sendable {
        case viewer
        case repair
        case keyFrame
        case nothing
    }

    /// The times at which a request goes out, asking every 10 ms.
    private func sends(_ events: [Int64: Event], until end: Int64) -> [Int64] {
        let limiter = sl_key_frame_limiter_create()
        defer { sl_key_frame_limiter_destroy(limiter) }
        return stride(from: Int64(0), through: end, by: 10).filter { now in
            switch events[now] ?? .nothing {
            case .viewer: sl_key_frame_limiter_request(limiter, false)
            case .repair: sl_key_frame_limiter_request(limiter, true)
            case .keyFrame: sl_key_frame_limiter_key_frame(limiter)
            case .nothing: break
            }
            return sl_key_frame_limiter_try_send(limiter, now)
        }
    }

    @Test(
        "requests become one in 300 ms for new viewers, one in a second for repeats",
        arguments: [
            ([0: .viewer], [0]),
            ([0: .repair], [0]),
            ([0: .viewer, 100: .viewer, 200: .viewer], [0, 300]),
            ([0: .viewer, 100: .repair, 200: .repair], [0, 1000]),
            ([0: .viewer, 100: .repair, 200: .viewer], [0, 300]),
            ([0: .viewer, 100: .repair, 500: .keyFrame], [0]),
            ([0: .repair, 2000: .repair], [0, 2000]),
            ([0: .viewer, 290: .viewer, 310: .viewer], [0, 300, 600]),
        ] as [([Int64: Event], [Int64])])
    func limits(events: [Int64: Event], expected: [Int64]) {
        #expect(sends(events, until: 3000) == expected)
    }

    @Test("a storm of repeats asks once a second")
    func storm() {
        let events = Dictionary(
            uniqueKeysWithValues: stride(from: Int64(0), to: 5000, by: 10).map { ($0, Event.repair) })
        #expect(sends(events, until: 4990) == [0, 1000, 2000, 3000, 4000])
    }
}
