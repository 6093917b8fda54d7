// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@testable import CallRecording

@Suite("The report that differences make")
struct RTCStatsStateTests {
    private static func entry(_ id: String) -> StatsMember {
        StatsMember(name: id, value: .object([StatsMember(name: "a", value: .int(1))]))
    }

    @Test("ids count towards its weight, so that long ones do not fill the memory, and go with their entries")
    func ids() {
        var limits = RecordingLimits()
        limits.reportWeight = 10_000
        var state = RTCStatsState()
        let long = String(repeating: "x", count: 100_000)
        var fitting = 0
        for number in 0..<20 where state.apply([Self.entry("\(number)\(long)")], form: .difference, limits) {
            fitting += 1
        }
        #expect(fitting == 3 && state.weight <= limits.reportWeight)
        let replaced = state.apply([Self.entry("short")], form: .namesAll, limits)
        #expect(replaced && state.weight == 2)
        let removed = state.apply([StatsMember(name: "short", value: .null)], form: .difference, limits)
        #expect(removed && state.weight == 0)
    }
}
