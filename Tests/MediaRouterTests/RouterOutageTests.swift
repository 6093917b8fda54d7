// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import RouterWire
import Synchronization
import Testing

@testable import MediaRouter

@Suite("A subscriber's path by which nothing gets through")
struct RouterOutageTests {
    private static let subscriber = LegNumber(rawValue: 3)

    /// A call of which congestion control thinks next to nothing for half a minute, and then as before.
    private func stumble(_ states: [LegConnectionState]) -> CoreBench {
        let bench = CoreBench()
        bench.add("p")
        bench.command(
            .add(AddLeg(leg: "s1", kind: .subscriber, stream: "s", offer: "offer", audioFallback: .init())))
        bench.engine.answerAll(.success("answer"))
        bench.deliver()
        var frames: UInt64 = 0
        send(4, estimate: 2_000_000, bench, &frames)
        for state in states { bench.handle(.engine(.connectionState(Self.subscriber, state))) }
        send(30, estimate: 30_000, bench, &frames)
        bench.handle(.engine(.connectionState(Self.subscriber, .connected)))
        return bench
    }

    private func send(_ seconds: Int, estimate: Double, _ bench: CoreBench, _ frames: inout UInt64) {
        for _ in 0..<(seconds * 10) {
            frames += 3
            let layer = LayerCounters(
                id: LayerID(rawValue: 1), rid: nil, width: 640, height: 360, frames: frames,
                bytes: frames * 500_000 / 8 / 30, sinceLastFrame: .milliseconds(10))
            bench.engine.state.withLock { state in
                state.layers = [layer]
                state.forwarding[Self.subscriber]?.allocated = estimate
                state.forwarding[Self.subscriber]?.estimated = estimate
            }
            bench.run(for: .milliseconds(100))
        }
    }

    private func fallbacks(_ bench: CoreBench) -> [FallbackState] {
        bench.notices.compactMap { if case .fallback(let change) = $0 { change.state } else { nil } }
    }

    @Test(
        "is not taken for a narrow one: video is there as soon as the path is",
        arguments: [[LegConnectionState.disconnected], [.disconnected, .failed]])
    func lostPath(states: [LegConnectionState]) {
        let bench = stumble(states)
        #expect(fallbacks(bench).isEmpty)
        #expect(bench.engine.calls.filter { $0.hasPrefix("select") } == ["select 1"])
        #expect(!bench.engine.calls.contains { $0.hasPrefix("probe") })
    }

    @Test("differs from one that carries little, on which video gives way to the audio")
    func narrowPath() {
        let bench = stumble([])
        #expect(fallbacks(bench) == [.warned, .off])
        #expect(bench.engine.calls.contains("select 0 stop first"))
    }
}
