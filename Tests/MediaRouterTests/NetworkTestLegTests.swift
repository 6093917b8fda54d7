// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import RouterWire
import Synchronization
import Testing
import WebRTCStats

@testable import MediaRouter

@Suite("Legs that test the network")
struct NetworkTestLegTests {
    private func bench(testsNetwork: Bool) -> CoreBench {
        let bench = CoreBench()
        bench.add("p")
        bench.command(
            .add(
                AddLeg(
                    leg: "s", kind: .subscriber, stream: "s", offer: "offer",
                    testsNetwork: testsNetwork ? true : nil)))
        bench.engine.answerAll(.success("answer"))
        bench.deliver()
        _ = bench.takeNotices()
        return bench
    }

    private func saturations(_ bench: CoreBench) -> [String] {
        bench.engine.calls.filter { $0.hasPrefix("saturate") }
    }

    @Test("one can be saturated, for three seconds at most; a new rate begins them again")
    func bounded() {
        let bench = bench(testsNetwork: true)
        bench.command(.saturate(LegSaturation(leg: "s", bitrate: 1_000_000, seconds: 9)))
        bench.run(for: .seconds(2))
        bench.command(.saturate(LegSaturation(leg: "s", bitrate: 5_000_000, seconds: 9)))
        bench.run(for: .milliseconds(2900))
        #expect(saturations(bench) == ["saturate 1000000", "saturate 5000000"])
        bench.run(for: .milliseconds(200))
        #expect(saturations(bench).last == "saturate no more")
        bench.run(for: .seconds(5))
        #expect(saturations(bench).count == 3)
        #expect(bench.takeNotices().isEmpty)
    }

    @Test("one is saturated for as long as is asked for", arguments: [(0.5, 0.5), (-1, 0), (1e300, 3)])
    func length(seconds: Double, expected: Double) {
        let bench = bench(testsNetwork: true)
        bench.command(.saturate(LegSaturation(leg: "s", bitrate: 1_000_000, seconds: seconds)))
        if expected > 0 {
            bench.run(for: .seconds(expected - 0.1))
            #expect(saturations(bench).count == 1)
        }
        bench.run(for: .milliseconds(200))
        #expect(saturations(bench).last == "saturate no more")
    }

    @Test("one that is saturated has padding of a layer, though its client wants no video; then none")
    func padding() {
        let bench = bench(testsNetwork: true)
        bench.engine.state.withLock { state in
            state.layers = [
                LayerCounters(
                    id: LayerID(rawValue: 1), rid: nil, width: 320, height: 180, frames: 30, bytes: 30_000,
                    sinceLastFrame: .milliseconds(10))
            ]
        }
        bench.run(for: .milliseconds(200))
        bench.command(.prefer(LegPreference(leg: "s", preference: .init(isVideoOn: false))))
        bench.run(for: .seconds(5))
        bench.engine.state.withLock { $0.calls = [] }
        bench.command(.saturate(LegSaturation(leg: "s", bitrate: 1_000_000, seconds: 1)))
        bench.run(for: .seconds(2))
        let calls = bench.engine.calls.filter { $0.hasPrefix("s") }
        #expect(
            calls == ["saturate 1000000", "select 1", "saturate no more", "select 0 stop first"], "\(calls)")
    }

    @Test("others cannot be saturated, nor can publishers or legs that are not there")
    func refused() {
        let bench = bench(testsNetwork: false)
        for leg in ["s", "p", "none"] as [LegName] {
            bench.command(.saturate(LegSaturation(leg: leg, bitrate: 1_000_000, seconds: 9)))
        }
        let codes = bench.takeNotices().compactMap {
            if case .failure(let failure) = $0 { failure.code } else { nil }
        }
        #expect(codes == [.unsupported, .unsupported, .unknownLeg])
        #expect(saturations(bench).isEmpty)
    }

    @Test(
        "one that carries media is reported four times a second, others once",
        arguments: [(true, true, 7...9), (true, false, 2...2), (false, true, 2...2)])
    func reports(testsNetwork: Bool, hasMedia: Bool, expected: ClosedRange<Int>) {
        let bench = bench(testsNetwork: testsNetwork)
        bench.command(.remove(LegRemoval(leg: "p")))
        var stream = OutboundRTPStats(id: "A", timestamp: 1)
        stream.packetsSent = hasMedia ? 1 : 0
        var report = StatsReport(timestamp: 1)
        report.outboundRTP = [stream]
        for tick in 0..<31 {
            if tick == 10 { _ = bench.takeNotices() }
            bench.run(for: .milliseconds(100))
            bench.engine.reportAll(report)
            bench.deliver()
        }
        let reports = bench.takeNotices().count { if case .report = $0 { true } else { false } }
        #expect(expected.contains(reports))
    }

    @Test(
        "others can be asked to be reported at another time, within their interval",
        arguments: [(0.3, [3, 13, 23]), (0.7, [7, 17]), (9, [10, 20]), (-1, [1, 10, 20])] as [(Double, [Int])]
    )
    func aligned(seconds: Double, expected: [Int]) {
        let bench = bench(testsNetwork: false)
        bench.command(.remove(LegRemoval(leg: "p")))
        bench.run(for: .milliseconds(100))
        bench.command(.align(LegAlignment(leg: "s", seconds: seconds)))
        bench.engine.state.withLock { $0.calls = [] }
        var asked: [Int] = []
        for tick in 1...25 {
            bench.run(for: .milliseconds(100))
            bench.engine.reportAll(StatsReport(timestamp: 1))
            bench.deliver()
            let count = bench.engine.calls.count { $0 == "statistics" }
            if count > asked.count { asked.append(tick) }
        }
        #expect(asked == expected)
    }

    @Test("one is reported as soon as it is connected: the client waits for it", arguments: [true, false])
    func connected(testsNetwork: Bool) {
        let bench = bench(testsNetwork: testsNetwork)
        bench.run(for: .milliseconds(100))
        bench.handle(.engine(.connectionState(LegNumber(rawValue: 3), .connected)))
        bench.deliver()
        bench.run(for: .milliseconds(100))
        bench.engine.reportAll(StatsReport(timestamp: 1))
        bench.deliver()
        let reports = bench.takeNotices().count { if case .report = $0 { true } else { false } }
        #expect(reports == (testsNetwork ? 1 : 0))
    }
}
