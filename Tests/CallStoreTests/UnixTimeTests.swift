// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Testing

@Suite("Times as the store has them")
struct UnixTimeTests {
    @Test("a minute begins with its first millisecond, before 1970 too, and nothing traps")
    func minutes() {
        for (time, minute) in [(0, 0), (59_999, 0), (60_000, 1), (-1, -1), (-60_000, -1), (-60_001, -2)] {
            #expect(Int64(time).unixMinute == Int64(minute))
        }
        for time in [Int64.min, .max] {
            let begin = Double(unixMinute: time.unixMinute)
            #expect(begin <= Double(time) && Double(time) - begin <= 60_000)
        }
        #expect(Double(unixMinute: 2) == 120_000)
    }
}
