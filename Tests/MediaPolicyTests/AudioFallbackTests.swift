// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import Testing

/// Runs the rules on virtual time: what is needed is 200 kbps, the estimate is given from moment to moment.
private func changes(
    rules: AudioFallbackRules = .init(), seconds: Double, estimates: [(at: Double, estimate: Double?)]
) -> [String] {
    var fallback = AudioFallback(rules: rules)
    var changes: [String] = []
    var last = FallbackState.on
    for tick in 0...Int(seconds * 10) {
        let now = Double(tick) / 10
        let estimate = estimates.last { $0.at <= now }?.estimate
        fallback.handle(estimate: estimate, needed: 200_000, at: .milliseconds(tick * 100))
        if fallback.state != last { changes.append("\(now) \(fallback.state)") }
        last = fallback.state
    }
    return changes
}

@Suite("Audio fallback")
struct AudioFallbackTests {
    @Test("a network that is too small for two seconds is warned of, after four video is off")
    func warnsAndSwitchesOff() {
        #expect(
            changes(seconds: 30, estimates: [(0, 1_000_000), (10, 199_000)]) == ["12.0 warned", "14.0 off"])
    }

    @Test(
        "what recovers in time is not switched off",
        arguments: [(11.9, []), (13.9, ["12.0 warned", "13.9 on"]), (14.1, ["12.0 warned", "14.0 off"])]
            as [(Double, [String])])
    func lifts(recovery: Double, expected: [String]) {
        #expect(
            changes(seconds: 18, estimates: [(0, 1_000_000), (10, 150_000), (recovery, 200_000)]) == expected)
    }

    @Test("video comes back when the estimate has had a quarter to spare for five seconds")
    func comesBack() {
        #expect(
            changes(seconds: 60, estimates: [(0, 100_000), (10, 249_000), (20, 251_000)]) == [
                "2.0 warned", "4.0 off", "25.0 on",
            ])
    }

    @Test("a stumble of less than two seconds begins no new wait, a longer one does")
    func stumbles() {
        let short = [(0, 100_000), (10, 400_000), (12, 90_000), (13.9, 400_000)] as [(Double, Double?)]
        #expect(changes(seconds: 30, estimates: short).last == "15.0 on")
        let long = [(0, 100_000), (10, 400_000), (12, 90_000), (14.1, 400_000)] as [(Double, Double?)]
        #expect(changes(seconds: 30, estimates: long).last == "19.1 on")
    }

    @Test("each further switch-off within a minute doubles the wait, up to a minute")
    func doubles() {
        // The estimate is enough whenever video is off, and never when it is on.
        var fallback = AudioFallback(rules: .init())
        var offSince: Double?
        var waits: [Double] = []
        for tick in 0..<3000 {
            let now = Double(tick) / 10
            let estimate = fallback.state == .off ? 1_000_000.0 : 100_000
            fallback.handle(estimate: estimate, needed: 200_000, at: .milliseconds(tick * 100))
            if fallback.state == .off, offSince == nil { offSince = now }
            if fallback.state != .off, let since = offSince {
                waits.append((now - since).rounded())
                offSince = nil
            }
        }
        #expect(waits.prefix(6) == [5, 10, 20, 40, 60, 60])
    }

    @Test("a switch-off later than a minute after the return waits as long as the first")
    func forgets() {
        let changes = changes(
            seconds: 100, estimates: [(0, 100_000), (4.1, 900_000), (75, 100_000), (79.1, 900_000)])
        #expect(changes.suffix(3) == ["77.0 warned", "79.0 off", "84.1 on"])
    }

    @Test("what is unknown is not bad")
    func unknown() {
        #expect(changes(seconds: 30, estimates: [(0, nil)]).isEmpty)
        #expect(
            changes(seconds: 30, estimates: [(0, 100_000), (3, nil), (4, 100_000)])
                == ["2.0 warned", "3.0 on", "6.0 warned", "8.0 off"])
    }

    @Test("numbers that are none do not trap", arguments: [Double.nan, .infinity, -1, 1e300])
    func nonsense(number: Double) {
        let rules = AudioFallbackRules(
            warningAfter: number, offAfter: number, backAfter: number, spare: number, repeatWithin: number,
            longestBackAfter: number)
        _ = changes(rules: rules, seconds: 20, estimates: [(0, 100_000), (5, 900_000), (10, number)])
    }
}
