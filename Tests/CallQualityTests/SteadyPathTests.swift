// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

@Suite("Paths on which packets come as steadily as they were sent")
struct SteadyPathTests {
    /// A second in which delays were that far apart, in seconds.
    private static func timing(spread: Double) -> PathTiming {
        PathTiming(capacityBound: 2_000_000, sustainedDelay: 0.001, delaySpread: spread)
    }

    /// In which of the seconds it is shown, by how far delays were apart in each; `nil` where no one measured.
    private func shown(_ spreads: [Double?]) -> [Bool] {
        var path = SteadyPath()
        return spreads.enumerated().map { index, spread in
            let time = Double(index) * 1000
            let second = spread.map { PathSecond(time: time - 400, timing: Self.timing(spread: $0)) }
            path.handle(second.map { [$0] } ?? [], at: time)
            return path.isShown
        }
    }

    @Test("It takes six seconds, and twelve after one in which they varied")
    func seconds() {
        #expect(shown(Array(repeating: 0.001, count: 10)).firstIndex(of: true) == 5)
        let stall: [Double?] = (0..<40).map { $0 == 20 ? 0.4 : 0.001 }
        let found = shown(stall)
        #expect(found[19] && !found[20..<32].contains(true) && found[32], "\(found)")
        #expect(!shown(Array(repeating: 0.03, count: 30)).contains(true))
    }

    @Test("What no one measures shows nothing, and what was measured is forgotten")
    func unknown() {
        #expect(!shown(Array(repeating: nil, count: 30)).contains(true))
        let past: [Double?] = (0..<30).map { $0 < 15 ? 0.001 : nil }
        #expect(shown(past)[14] && !shown(past)[26...].contains(true))
    }

    @Test(
        "Media that jitter over a downlink that does not were late before it",
        arguments: [
            (nil as Double?, NetworkDegradationSource.local), (0.05, .local), (0.001, .remote),
        ])
    func subscriber(spread: Double?, side: NetworkDegradationSource) {
        var scenario = CallScenario.subscriber()
        var last: Diagnosis?
        for second in 0..<30 {
            scenario.remote.pathTimings = spread.map { [Aged(Self.timing(spread: $0), age: 0.4)] }
            scenario.run(.init(1, jitter: second < 15 ? 0.002 : 0.035))
            last = scenario.subscribed.last?.diagnosis
        }
        #expect(last?.cause == .jitter && last?.side == side, "\(String(describing: last))")
    }
}
