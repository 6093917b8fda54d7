// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import MediaPolicy

@Suite("Probing")
struct BandwidthProberTests {
    private static let steps = [200_000.0, 600_000, 1_800_000]

    /// The probes of a leg whose estimate changes from moment to moment; `true` stands for "not even the
    /// least".
    private func probes(
        seconds: Double, estimates: [(at: Double, estimate: Double?, isBandwidthLimited: Bool)]
    ) -> [(at: Double, rate: Double)] {
        var prober = BandwidthProber(configuration: .init())
        var probes: [(at: Double, rate: Double)] = []
        for tick in 0..<Int(seconds * 10) {
            let now = Double(tick) / 10
            guard let moment = estimates.last(where: { $0.at <= now }) else { continue }
            let rate = prober.handle(
                steps: Self.steps, isBandwidthLimited: moment.isBandwidthLimited, estimate: moment.estimate,
                at: .milliseconds(tick * 100))
            if let rate { probes.append((now, rate)) }
        }
        return probes
    }

    @Test("a leg below what it wants is probed for the next step, ever less often")
    func below() {
        let probes = probes(seconds: 40, estimates: [(0, 300_000, false)])
        #expect(probes.map(\.at) == [4, 8, 16, 24, 32])
        #expect(probes.allSatisfy { $0.rate == 600_000 * 1.2 })
    }

    @Test("a probe that helps is followed by the next at once, until all is there")
    func success() {
        let probes = probes(
            seconds: 40,
            estimates: [(0, 300_000, false), (8.1, 700_000, false), (8.6, 2_000_000, false)])
        #expect(probes.map(\.at) == [4, 8, 8.5])
        #expect(probes.last?.rate == 1_800_000 * 1.2)
    }

    @Test("a leg that does not carry the least is probed soon, again at once, and then every two seconds")
    func short() {
        let probes = probes(seconds: 10, estimates: [(0, 2_000_000, false), (2, 100_000, true)])
        #expect(probes.map(\.at) == [2.4, 2.8, 3.6, 5.2, 7.2, 9.2])
        #expect(probes.allSatisfy { $0.rate == 200_000 * 1.2 })
    }

    @Test("a leg that carried the least and does no more is probed soon again, also where more is wanted")
    func fallsBack() {
        let probes = probes(
            seconds: 10, estimates: [(0, 100_000, true), (0.5, 700_000, false), (4, 150_000, true)])
        #expect(probes.map(\.at) == [0.4, 0.9, 4.4, 4.8, 5.6, 7.2, 9.2])
        #expect(probes[1].rate == 1_800_000 * 1.2)
    }

    @Test("a leg that has what it wants, or of which nothing is known, is not probed")
    func nothing() {
        #expect(probes(seconds: 60, estimates: [(0, 1_800_000, false)]).isEmpty)
        #expect(probes(seconds: 60, estimates: [(0, nil, false)]).isEmpty)
    }
}
