// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("The two losses")
struct TwoLossesTests {
    static let losses = [0.0, 0.01, 0.05, 0.2]

    @Test(
        "A publisher's network loss is what its uplink lost, however retransmissions travel",
        arguments: losses, [RetransmissionPath.mediaSSRC, .ownSSRC])
    func publisher(loss: Double, path: RetransmissionPath) {
        for isReported in [true, false] {
            var call = ScriptedCall.simulcastPublisher(repair: path)
            call.setLoss(loss)
            var observer = PublisherObserver()
            var video: MediaFigures?
            for _ in 0..<60 {
                call.advance(1)
                let intent = MediaIntent.simulcast(retransmission: isReported ? path : nil)
                video = observer.handle(call.report(), intent: intent).video.first
            }
            // On an SSRC of their own retransmissions are sent beside the packets that losses are counted
            // among.
            let media = call.sent.filter { $0.kind == .video }.reduce(0) { $0 + $1.counters.media }
            let packets = path == .ownSSRC ? media : Double(video?.packets ?? 1)
            #expect(
                abs(Double(video?.packetsLost ?? 0) / packets - loss) < 0.015
                    || !isReported && loss > 0.1)
        }
    }

    @Test(
        "A subscriber's network loss is what its downlink lost, however retransmissions travel",
        arguments: losses, [RetransmissionPath.mediaSSRC, .ownSSRC])
    func subscriber(loss: Double, path: RetransmissionPath) {
        for isReported in [true, false] {
            var call = ScriptedCall.subscriber(repair: path)
            call.setLoss(loss)
            var observer = SubscriberObserver()
            var worst = 0.0
            for second in 0..<60 {
                call.advance(1)
                let intent = MediaIntent.subscription(retransmission: isReported ? path : nil)
                let video = observer.handle(call.report(), intent: intent).video
                if second > 0 { worst = max(worst, abs((video?.fractionLost ?? -1) - loss)) }
            }
            // An observer without the intent compares counters that run apart: retransmissions are lost as
            // well.
            #expect(worst < (isReported ? (path == .mediaSSRC ? 0.06 : 0.011) : 0.07), "known: \(isReported)")
        }
    }

    @Test("A report about a stream that shows an SSRC for retransmissions is not counted twice")
    func shownPath() {
        var call = ScriptedCall.simulcastPublisher(repair: .ownSSRC)
        for index in call.sent.indices { call.sent[index].mayReportRtxSSRC = true }
        call.setLoss(0.1)
        var observer = PublisherObserver()
        var lost: Int64 = 0
        for _ in 0..<30 {
            call.advance(1)
            lost = observer.handle(call.report()).video.first?.packetsLost ?? 0
        }
        let expected = call.sent.filter { $0.kind == .video }.reduce(0) { $0 + $1.counters.lost }
        #expect(abs(Double(lost) - expected) < expected * 0.05)
    }

    @Test("An RTCP report is one sample, however often the report repeats it")
    func rtcpCadence() {
        var call = ScriptedCall()
        call.sent = [.audio(rtcpInterval: 5)]
        call.setLoss(0.04)
        var observer = PublisherObserver()
        var samples: [Double?] = []
        for _ in 0..<31 {
            call.advance(1)
            samples.append(observer.handle(call.report()).audio.first?.fractionLost)
        }
        let known = samples.compactMap { $0 }
        #expect(known.count == 5 || known.count == 6)
        #expect(known.allSatisfy { abs($0 - 0.04) < 0.01 })
    }

    @Test("What came after all takes nothing back, and is not lost again")
    func lateArrivals() throws {
        var observer = SubscriberObserver()
        var totals: [Int64] = []
        for (second, lost) in [0, 4, 1, 3, 6].enumerated() {
            var entry = InboundRTPStats(id: "I", timestamp: 1_000_000 + Double(second) * 1000)
            entry.ssrc = 7
            entry.kind = .audio
            entry.packetsReceived = UInt64(50 * second)
            entry.packetsLost = Int64(lost)
            var report = StatsReport(timestamp: entry.timestamp)
            report.inboundRTP = [entry]
            totals.append(try #require(observer.handle(report).audio?.packetsLost))
        }
        #expect(totals == [0, 4, 4, 4, 6])
    }
}

extension TwoLossesTests {
    @Test("Requests for one packet that never comes are one loss, not ten")
    func repeatedRequests() {
        var call = ScriptedCall.subscriber(repair: nil)
        var observer = SubscriberObserver()
        var last: SubscriberObservation?
        for second in 0..<20 {
            call.advance(1)
            var report = call.report()
            for index in report.inboundRTP.indices where report.inboundRTP[index].kind == .video {
                report.inboundRTP[index].packetsLost = second < 10 ? 0 : 1
                report.inboundRTP[index].nackCount = second < 10 ? 0 : second == 10 ? 8 : 10
            }
            last = observer.handle(report, intent: .subscription(retransmission: nil))
            #expect(last?.diagnosis.cause != .packetLoss)
        }
        #expect(last?.video?.packetsLost == 1)
    }
}
