// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@testable import CallQuality

@Suite("What a network test needs to know of a path")
struct PathHistoryTests {
    private func reading(
        _ second: Double, bytes: UInt64, packets: UInt64, lost: Int64 = 0
    ) -> PathHistory.Reading {
        let audio = LegCounters.Medium(
            packetsReceived: packets, packetsLost: lost, bytesReceived: bytes, jitter: 0.01)
        return .init(
            counters: LegCounters(
                timestamp: 1_000_000 + second * 1000, bytesReceived: bytes, packetsReceived: packets,
                audio: audio),
            knownAt: .seconds(second))
    }

    @Test("rates count 28 bytes of headers a packet on the wire, and none as payload")
    func rates() {
        var history = PathHistory()
        history.add(reading(0, bytes: 0, packets: 0))
        history.add(reading(1, bytes: 100_000, packets: 100))
        history.add(reading(2, bytes: 200_000, packets: 200))
        #expect(history.wireRate(from: .zero, to: .seconds(2)) == 822_400.0)
        #expect(history.evidence(from: .zero, to: .seconds(2)).audio.bitrate == 800_000)
        #expect(history.wireRate(from: .seconds(1.5), to: .seconds(2)) == nil)
        #expect(history.jitter(.audio, from: .zero, to: .seconds(2)) == 0.01)
        #expect(history.jitter(.video, from: .zero, to: .seconds(2)) == nil)
    }

    @Test(
        "where packets are rare, a rate does not depend on when it is looked at",
        arguments: 0...12)
    func rarePackets(step: Int) {
        let phase = Double(step) * 0.05
        var history = PathHistory()
        for tick in 0...50 {
            let time = Double(tick) / 10
            // A packet of 1228 bytes every 0.65 s: 15.1 kbps.
            let packets = UInt64(max(0, ((time + phase) / 0.65).rounded(.down)))
            history.add(reading(time, bytes: packets * 1200, packets: packets))
        }
        let rate = history.wireRate(from: .zero, to: .seconds(5)) ?? 0
        #expect(abs(rate / (1228 * 8 / 0.65) - 1) < 0.04)
    }

    @Test("loss is what is missing of what was expected; late packets take it back")
    func loss() {
        var history = PathHistory()
        history.add(reading(0, bytes: 0, packets: 100, lost: 5))
        history.add(reading(1, bytes: 1, packets: 190, lost: 15))
        #expect(history.evidence(from: .zero, to: .seconds(1)).loss == LossTally(lost: 10, expected: 100))
        history.add(reading(2, bytes: 2, packets: 300, lost: 3))
        #expect(history.evidence(from: .zero, to: .seconds(2)).loss == LossTally(lost: 0, expected: 200))
    }

    @Test("losses in bursts make less sure than the same losses spread")
    func dispersion() {
        func evidence(_ losses: [Int64]) -> PathEvidence {
            var history = PathHistory()
            var (packets, lost): (UInt64, Int64) = (0, 0)
            history.add(reading(0, bytes: 0, packets: 0))
            for (second, loss) in losses.enumerated() {
                packets += 100 - UInt64(loss)
                lost += loss
                history.add(reading(Double(second + 1), bytes: 0, packets: packets, lost: lost))
            }
            return history.evidence(from: .zero, to: .seconds(losses.count))
        }
        let (spread, burst) = (evidence([5, 5, 5, 5]), evidence([20, 0, 0, 0]))
        #expect(spread.loss == burst.loss)
        #expect(spread.dispersion == 1)
        #expect(burst.dispersion > 5)
    }

    @Test("a path is congested while most of what is sent gets lost or nothing comes, in either direction")
    func congested() {
        func isCongested(_ end: Double, received: UInt64, lost: Int64, isUplink: Bool) -> Bool {
            var book = PathMeasurements()
            for tick in 0...2 {
                let time = end - 0.5 + Double(tick) * 0.25
                let good = (packets: UInt64(tick) * 10, lost: Int64(0))
                let bad = (packets: UInt64(tick) * received, lost: Int64(tick) * lost)
                let (up, down) = isUplink ? (bad, good) : (good, bad)
                let reading = reading(time, bytes: 0, packets: up.packets, lost: up.lost)
                book.addUplink(reading.counters, at: reading.knownAt)
                var audio = InboundRTPStats(id: "A", timestamp: time * 1000)
                audio.kind = .audio
                (audio.packetsReceived, audio.packetsLost) = (down.packets, down.lost)
                var report = StatsReport(timestamp: time * 1000)
                report.inboundRTP = [audio]
                book.addSubscriber(report, at: .seconds(time))
            }
            return book.isCongested(at: .seconds(end))
        }
        for isUplink in [true, false] {
            #expect(isCongested(5, received: 10, lost: 90, isUplink: isUplink))
            #expect(isCongested(5, received: 0, lost: 0, isUplink: isUplink))
            #expect(!isCongested(5, received: 80, lost: 20, isUplink: isUplink))
        }
        #expect(PathMeasurements().isCongested(at: .zero))
    }

    @Test(
        "what is sent waits in a queue where round trips are longer than one was before media flowed",
        arguments: [(nil, false), (0.3, false), (0.28, false), (0.2, true), (0, false), (.nan, false)]
            as [(Double?, Bool)])
    func queued(first: Double?, isQueued: Bool) {
        var book = PathMeasurements()
        book.note(roundTripTime: first)
        #expect(!book.isQueued)
        var pair = CandidatePairStats(id: "P", timestamp: 1)
        pair.currentRoundTripTime = 0.3
        var transport = ICETransportStats(id: "T", timestamp: 1)
        transport.selectedCandidatePairId = "P"
        var report = StatsReport(timestamp: 1)
        (report.candidatePairs, report.transports) = ([pair], [transport])
        book.addSubscriber(report, at: .zero)
        #expect(book.isQueued == isQueued)
        let least = book.leastRoundTripTime
        #expect(least == (isQueued || first == 0.28 ? first : 0.3))
        // A server that is nearer than the router tells as well, and says nothing of how long the router takes.
        book.note(serverRoundTripTime: 0.2)
        #expect(book.isQueued && book.leastRoundTripTime == least)
    }

    @Test("of what comes in fits and starts the middle counts")
    func usualRate() {
        var history = PathHistory()
        for (index, packets) in [0, 5, 10, 15, 20, 21].enumerated() {
            history.add(
                reading(Double(index) / 4, bytes: UInt64(packets) * 250, packets: UInt64(packets)))
        }
        let rate = history.usualWireRate(since: .zero, to: .seconds(9), over: .seconds(0.4))
        // 10 packets in half a second, each of them with 28 bytes of headers.
        #expect(abs((rate ?? 0) - 20 * 278 * 8) < 1)
        #expect(history.usualWireRate(since: .zero, to: .seconds(9), over: .seconds(2)) == nil)
    }

    @Test("readings that are not newer are omitted; counters that go back start over")
    func resets() {
        var history = PathHistory()
        history.add(reading(1, bytes: 1000, packets: 10))
        history.add(reading(1, bytes: 2000, packets: 20))
        #expect(history.readings.count == 1)
        history.add(reading(2, bytes: 10, packets: 1))
        #expect(history.readings.count == 1)
        #expect(history.wireRate(from: .zero, to: .seconds(9)) == nil)
    }

    @Test("nothing of an old stream counts for a new one, and nothing of an old subscription either")
    func renewal() {
        func book() -> PathMeasurements {
            var book = PathMeasurements()
            for second in 0...1 {
                let reading = reading(Double(second), bytes: UInt64(second) * 1000, packets: UInt64(second))
                book.addUplink(reading.counters, at: reading.knownAt)
                book.addUplinkFeedback(reading.counters, at: reading.knownAt)
            }
            return book
        }
        var subscription = book()
        subscription.renewSubscriber()
        #expect(subscription.uplink.readings.count == 2)
        #expect(subscription.uplinkFeedback.readings.isEmpty)
        var stream = book()
        stream.renew()
        #expect(stream.uplink.readings.isEmpty && stream.uplinkFeedback.readings.isEmpty)
    }

    @Test(
        "a round trip time that cannot be waited for is none, or a minute",
        arguments: [(Double.nan, nil), (-1, nil), (.infinity, 60), (1e300, 60), (0.3, 0.3)]
            as [(Double, Double?)])
    func extremeRoundTrips(heard: Double, wanted: Double?) {
        var feedback = RemoteInboundRTPStats(id: "R", timestamp: 1)
        feedback.kind = .video
        feedback.roundTripTime = heard
        var report = StatsReport(timestamp: 1)
        report.remoteInboundRTP = [feedback]
        var book = PathMeasurements()
        book.addPublisher(report, at: .zero)
        #expect(book.roundTripTime == wanted)
    }
}
