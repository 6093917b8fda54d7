// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LabScoring
import Testing

@Suite("The link with jitter")
struct JitteryLinkTests {
    /// When packets sent each 20 ms for a minute arrive, in order.
    private static func arrivals(_ jitter: Double, _ seed: UInt64) -> [Double] {
        var link = JitteryLink(jitter: jitter, seed: seed)
        return stride(from: 0, to: 60_000, by: 20).map { $0 + link.delay(at: $0) }
    }

    /// The mean of what receivers smooth (RFC 3550, 6.4.1).
    private static func jitter(_ arrivals: [Double]) -> Double {
        let steps = zip(arrivals, arrivals.dropFirst()).map { abs($1 - $0 - 20) }
        return steps.reduce(0, +) / Double(steps.count)
    }

    @Test("hands packets over in order, never too late", arguments: [60.0, 200])
    func order(jitter: Double) {
        let arrivals = Self.arrivals(jitter, 1)
        #expect(arrivals == arrivals.sorted())
        for (index, arrival) in arrivals.enumerated() {
            #expect((0...3 * jitter).contains(arrival - Double(index) * 20))
        }
    }

    @Test("makes receivers measure jitter near the most that order allows", arguments: [60.0, 200])
    func measured(jitter: Double) {
        #expect((25...40).contains(Self.jitter(Self.arrivals(jitter, 1))))
    }

    @Test("gives equal moments for equal seeds only")
    func seeds() {
        #expect(Self.arrivals(60, 1) == Self.arrivals(60, 1))
        #expect(Self.arrivals(60, 1) != Self.arrivals(60, 2))
    }
}
