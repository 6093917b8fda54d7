// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LabScoring
import LineEmulation
import Testing

@Suite("What observing costs an uplink")
struct ObservingHarmTests {
    private func part(_ isObserved: Bool, media: Int, reports: Int) -> ObservingHarm.Part {
        .init(
            isObserved: isObserved,
            seconds: (0..<10).map { second in
                var line = LineSecond(second: second)
                line.udp.deliveredBytes = media * 125
                line.tcp.offeredBytes = reports * 125
                return line
            })
    }

    private func harm(_ parts: [ObservingHarm.Part], streams: Int = 1) -> ObservingHarm {
        ObservingHarm(name: "someone", streams: streams, goal: 2, parts: parts)
    }

    @Test("is the difference that it makes, for each stream")
    func figures() throws {
        let harm = harm(
            [part(true, media: 194, reports: 7), part(false, media: 200, reports: 1)], streams: 2)
        #expect(abs(try #require(harm.cost) - 3) < 1e-9)
        #expect(abs(try #require(harm.share) - 0.97) < 1e-9)
        #expect(harm.uncertainty == nil)
        #expect(HarmPage([harm], circumstances: []).shortfalls == ["someone: 3.0 kbit/s are more than 2.0"])
        let page = HarmPage([harm], circumstances: ["c"]).text
        #expect(
            page.contains("| someone | 7.0 | 1.0 | 3.0 | ≤ 2.0 | 194.0 | 200.0 | 97.0 % | ≥ 97.0 % | 2 |"))
    }

    @Test("is given with what chance leaves open, which no shortfall is made of")
    func uncertainty() throws {
        func harm(_ shares: [Int]) -> ObservingHarm {
            self.harm(
                shares.flatMap { [part(true, media: $0, reports: 1), part(false, media: 100, reports: 1)] })
        }
        let spread = harm([80, 100, 110, 90])
        #expect(abs(try #require(spread.share) - 0.95) < 1e-9)
        // Standard deviation 12.91, of four pairs, times 3.18.
        #expect(abs(try #require(spread.uncertainty) - 0.205) < 0.001)
        #expect(HarmPage([spread], circumstances: []).shortfalls.isEmpty)
        let low = harm([90, 91, 90, 91])
        #expect(HarmPage([low], circumstances: []).shortfalls == ["someone: media get 90.5 %"])
    }

    @Test("is unknown without both kinds of parts, and that is a shortfall")
    func unknown() {
        let harm = harm([part(true, media: 100, reports: 1)])
        #expect(harm.cost == nil && harm.share == nil)
        #expect(HarmPage([harm], circumstances: []).shortfalls == ["someone: not measured"])
    }
}
