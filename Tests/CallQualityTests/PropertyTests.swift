// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import TestSupport
import Testing
import WebRTCStats

@Suite("What holds for every sequence of reports")
struct PropertyTests {
    static let seeds = Seed.draw(12)

    /// Totals of a subscriber and a publisher after all reports.
    struct Totals: Equatable {
        var received: [UInt64?] = []
        var sent: [UInt64?] = []
    }

    private static func totals(_ video: MediaFigures?, _ audio: MediaFigures?) -> [UInt64?] {
        [video, audio].flatMap { (media: MediaFigures?) -> [UInt64?] in
            [
                media?.packetsLost.map { UInt64(clamping: $0) }, media?.packets, media?.bytes,
                media?.freezeCount.map { UInt64(clamping: $0) },
            ]
        }
    }

    private static func totals(_ observation: PublisherObservation) -> [UInt64?] {
        totals(observation.video.first, observation.audio.first)
    }

    @Test("Splitting or merging intervals leaves totals as they are", arguments: seeds)
    func splitting(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        var subscriber = ScriptedCall.subscriber()
        var publisher = ScriptedCall.simulcastPublisher()
        var fine = (SubscriberObserver(), PublisherObserver())
        var coarse = fine
        var last = (Totals(), Totals())
        for step in 1...200 {
            let loss = Double.random(in: 0...0.3, using: &generator)
            subscriber.setLoss(loss)
            publisher.setLoss(loss)
            subscriber.advance(0.2)
            publisher.advance(0.2)
            let seen = fine.0.handle(subscriber.report(), intent: .subscription())
            last.0 = Totals(
                received: Self.totals(seen.video, seen.audio),
                sent: Self.totals(fine.1.handle(publisher.report(), intent: .simulcast())))
            guard step == 200 || Int.random(in: 0..<12, using: &generator) == 0 else { continue }
            let merged = coarse.0.handle(subscriber.report(), intent: .subscription())
            last.1 = Totals(
                received: Self.totals(merged.video, merged.audio),
                sent: Self.totals(coarse.1.handle(publisher.report(), intent: .simulcast())))
        }
        #expect(last.0.received == last.1.received)
        #expect(last.0.sent == last.1.sent)
    }

    @Test("The order of a report's entries says nothing", arguments: seeds)
    func order(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        var subscriber = ScriptedCall.subscriber()
        subscriber.received.append(.video(ssrc: 13, width: 320, height: 180, packetRate: 100))
        var publisher = ScriptedCall.simulcastPublisher()
        var plain = (SubscriberObserver(), PublisherObserver())
        var shuffled = plain
        for _ in 0..<20 {
            let loss = Double.random(in: 0...0.2, using: &generator)
            subscriber.setLoss(loss)
            publisher.setLoss(loss)
            subscriber.advance(1)
            publisher.advance(1)
            let reports = (subscriber.report(), publisher.report())
            #expect(
                plain.0.handle(reports.0) == shuffled.0.handle(reports.0.shuffled(using: &generator)))
            #expect(
                plain.1.handle(reports.1) == shuffled.1.handle(reports.1.shuffled(using: &generator)))
        }
    }

    @Test("A repeated report changes nothing", arguments: seeds)
    func repetition(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        var subscriber = ScriptedCall.subscriber()
        var publisher = ScriptedCall.simulcastPublisher()
        var once = (SubscriberObserver(), PublisherObserver())
        var often = once
        for _ in 0..<30 {
            let loss = Double.random(in: 0...0.2, using: &generator)
            subscriber.setLoss(loss)
            publisher.setLoss(loss)
            subscriber.advance(1)
            publisher.advance(1)
            let reports = (subscriber.report(), publisher.report())
            var expected = (
                once.0.handle(reports.0, intent: .subscription()),
                once.1.handle(reports.1, intent: .simulcast())
            )
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                #expect(often.0.handle(reports.0, intent: .subscription()) == expected.0)
                #expect(often.1.handle(reports.1, intent: .simulcast()) == expected.1)
                // What happened happened once.
                expected.0.events = []
                expected.1.events = []
            }
        }
    }

    @Test("Whatever happens to counters, no total goes back and no rate is negative", arguments: seeds)
    func monotony(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        var subscriber = ScriptedCall.subscriber()
        var publisher = ScriptedCall.simulcastPublisher()
        var observers = (SubscriberObserver(), PublisherObserver())
        var before = Totals()
        var (rates, losses) = (0, 0)
        for _ in 0..<200 {
            Self.disturb(&subscriber, &generator)
            Self.disturb(&publisher, &generator)
            let seconds = Double.random(in: 0.05...12, using: &generator)
            subscriber.advance(seconds)
            publisher.advance(seconds)
            let received = observers.0.handle(subscriber.report())
            let sent = observers.1.handle(publisher.report())
            let now = Totals(received: Self.totals(received.video, received.audio), sent: Self.totals(sent))
            #expect(Self.isAtLeast(now.received, before.received))
            #expect(Self.isAtLeast(now.sent, before.sent))
            before = now
            // What is not known is `nil`, which says nothing; below, it must not always be.
            for rate in [received.video?.bitrate, received.video?.frameRate]
                + sent.video.map(\.bitrate)
            {
                guard let rate else { continue }
                #expect(rate >= 0)
                rates += 1
            }
            for loss in [received.video?.fractionLost] + sent.video.map(\.fractionLost) {
                guard let loss else { continue }
                #expect((0...1).contains(loss))
                losses += 1
            }
        }
        #expect(rates > 20 && losses > 20)
    }

    @Test("Hostile figures trap nothing", arguments: seeds)
    func hostile(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        var observers = (SubscriberObserver(), PublisherObserver())
        let counts: [UInt64] = [0, 1, .max, .max - 1, 1 << 63]
        let losses: [Int64] = [0, .min, .max, -1]
        let sums: [Double] = [0, .nan, .infinity, -.infinity, -1, .greatestFiniteMagnitude, 1e-300]
        var call = ScriptedCall.simulcastPublisher()
        call.received = ScriptedCall.subscriber().received
        for _ in 0..<300 {
            call.advance(1)
            var report = call.report()
            func count() -> UInt64? { counts.randomElement(using: &generator) }
            func sum() -> Double? { sums.randomElement(using: &generator) }
            for index in report.outboundRTP.indices {
                report.outboundRTP[index].packetsSent = count()
                report.outboundRTP[index].bytesSent = count()
                report.outboundRTP[index].headerBytesSent = count()
                report.outboundRTP[index].retransmittedPacketsSent = count()
                report.outboundRTP[index].framesEncoded = count()
                report.outboundRTP[index].frameWidth = count()
                report.outboundRTP[index].framesPerSecond = sum()
            }
            for index in report.remoteInboundRTP.indices {
                report.remoteInboundRTP[index].packetsLost = losses.randomElement(using: &generator)
                report.remoteInboundRTP[index].timestamp = sum() ?? 0
                report.remoteInboundRTP[index].roundTripTime = sum()
            }
            for index in report.inboundRTP.indices {
                report.inboundRTP[index].packetsReceived = count()
                report.inboundRTP[index].packetsLost = losses.randomElement(using: &generator)
                report.inboundRTP[index].nackCount = count()
                report.inboundRTP[index].freezeCount = count()
                report.inboundRTP[index].pauseCount = count()
                report.inboundRTP[index].totalPausesDuration = sum()
                report.inboundRTP[index].totalFreezesDuration = sum()
                report.inboundRTP[index].framesDecoded = count()
                report.inboundRTP[index].frameWidth = count()
                report.inboundRTP[index].totalAudioEnergy = sum()
                report.inboundRTP[index].jitter = sum()
            }
            for index in report.candidatePairs.indices {
                report.candidatePairs[index].currentRoundTripTime = sum()
                report.candidatePairs[index].availableOutgoingBitrate = sum()
                report.candidatePairs[index].bytesSent = count()
            }
            if Int.random(in: 0..<5, using: &generator) == 0 { report.timestamp = sum() ?? 0 }
            _ = observers.0.handle(report)
            _ = observers.1.handle(report)
        }
    }

    private static func disturb(_ call: inout ScriptedCall, _ generator: inout SeededRandom) {
        call.setLoss(Double.random(in: 0...0.5, using: &generator))
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: call.replacePeerConnection()
        case 1: for index in call.sent.indices { call.sent[index].reset() }
        case 2: for index in call.received.indices { call.received[index].reset() }
        case 3: call.stepClock(seconds: Double.random(in: -5000...5000, using: &generator))
        case 4: call.setFlowing(Bool.random(using: &generator))
        case 5 where !call.received.isEmpty: call.received[0].ssrc += 7
        default: break
        }
    }

    private static func isAtLeast(_ now: [UInt64?], _ before: [UInt64?]) -> Bool {
        zip(now, before).allSatisfy { now, before in (now ?? 0) >= (before ?? 0) }
    }
}
