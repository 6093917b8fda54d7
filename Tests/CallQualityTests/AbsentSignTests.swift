// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing
import WebRTCStats

@testable import CallQuality

/// What is known because something stays away, or is only said between the lines.
@Suite("Signs between the lines of a report")
struct AbsentSignTests {
    private static func sent(
        _ isReported: Bool?, key: UInt64 = 1, _ kind: MediaKind = .video, packets: UInt64 = 100
    ) -> OutboundDelta {
        var delta = OutboundDelta(index: 0, key: key, kind: kind)
        delta.packets = Increment(amount: packets, seconds: 1)
        delta.isReported = isReported
        return delta
    }

    private static func tick(_ second: Int) -> Tick {
        Tick(time: Double(second) * 1000, previous: second == 0 ? nil : Double(second - 1) * 1000)
    }

    @Test(
        "Reports that stay away three times as long as usual mean that nothing is heard; none is due while nothing is sent"
    )
    func silence() {
        for usual in [1, 5] {
            var silence = ReportSilence()
            for second in 0..<30 {
                silence.handle([Self.sent(second % usual == 0)], at: Self.tick(second))
                #expect(!silence.isSilent)
            }
            var found: Int?
            for second in 30..<60 {
                silence.handle([Self.sent(false)], at: Self.tick(second))
                if silence.isSilent, found == nil { found = second }
            }
            #expect((35...46).contains(found ?? 0), "usual \(usual): \(found ?? 0)")
            silence.handle([Self.sent(true)], at: Self.tick(60))
            #expect(silence.isHeard == true)
            for second in 61..<90 { silence.handle([Self.sent(nil)], at: Self.tick(second)) }
            #expect(!silence.isSilent)
        }
    }

    @Test(
        "Audio alone is reported more rarely than the video beside it was, and video that comes back not at once"
    )
    func restingCamera() {
        var silence = ReportSilence()
        var isCut = false
        for second in 0..<150 {
            // The camera rests from second 29 to second 90, and the line is cut from second 120 on.
            let isResting = (29..<90).contains(second)
            isCut = second >= 120
            let audio = Self.sent(!isCut && second % 7 == 0, key: 2, .audio, packets: 50)
            let video = Self.sent(
                !isCut && !isResting && second != 90, key: 1, .video, packets: isResting ? 0 : 100)
            silence.handle([audio, video], at: Self.tick(second))
            if !isCut { #expect(!silence.isSilent, "\(second)") }
            if second == 128 { #expect(silence.isSilent) }
        }
        #expect(silence.isHeard == false)
    }

    @Test("Video that jitters beside audio that does not has that from its frames, in a queue as without one")
    func jitterOfFrames() {
        func report(_ kind: MediaKind, _ jitter: Double) -> OutboundDelta {
            var delta = OutboundDelta(index: 0, key: kind == .audio ? 1 : 2, kind: kind)
            delta.jitter = jitter
            return delta
        }
        var path = PathJitter()
        #expect(path.steadiest([report(.audio, 0.004), report(.video, 0.01)]) == 0.004)
        // As long as nothing is reported of audio it may be the path's, in two reports.
        #expect(path.steadiest([report(.video, 0.15)]) == 0.004)
        #expect(path.steadiest([report(.video, 0.15)]) == 0.15)
        #expect(path.steadiest([report(.audio, 0.015), report(.video, 0.15)]) == 0.015)
        for _ in 0..<4 { #expect(path.steadiest([report(.video, 0.2)]) == 0.015) }
        #expect(path.steadiest([report(.video, 0.4)]) == 0.015)
        #expect(path.steadiest([report(.video, 0.4)]) == 0.4)
    }

    /// What a receiver reports of layers of a video, and of audio beside them as stream 0.
    private static func reports(_ layers: [(stream: UInt64, jitter: Double)]) -> [OutboundDelta] {
        layers.map { layer in
            var delta = OutboundDelta(
                index: 0, key: layer.stream, kind: layer.stream == 0 ? .audio : .video)
            delta.jitter = layer.jitter
            return delta
        }
    }

    @Test("Of several layers the steadiest shows the path, in whatever order they are reported")
    func jitterOfLayers() {
        for isReversed in [false, true] {
            func reports(_ layers: [(stream: UInt64, jitter: Double)]) -> [OutboundDelta] {
                Self.reports(isReversed ? layers.reversed() : layers)
            }
            var path = PathJitter()
            #expect(path.steadiest(reports([(0, 0.004), (1, 0.003), (2, 0.012), (3, 0.04)])) == 0.003)
            // Large frames make the jitter of their own layer; the small ones come beside it.
            for _ in 0..<3 {
                #expect(path.steadiest(reports([(2, 0.03), (3, 0.09)])) == 0.003)
                #expect(path.steadiest(reports([(1, 0.003)])) == 0.003)
            }
            #expect(path.steadiest(reports([(0, 0.004), (1, 0.003), (2, 0.012), (3, 0.04)])) == 0.003)
            // All of them are one report of the path, which it takes two of.
            #expect(path.steadiest(reports([(1, 0.1), (2, 0.12), (3, 0.2)])) == 0.004)
            #expect(path.steadiest(reports([(1, 0.1), (2, 0.12), (3, 0.2)])) == 0.1)
        }
    }

    @Test("What was reported of a layer that is off says nothing of the path any more")
    func jitterOfFormerLayer() {
        var path = PathJitter()
        _ = path.steadiest(Self.reports([(1, 0.003), (2, 0.012)]))
        for _ in 0..<3 { #expect(path.steadiest(Self.reports([(2, 0.05)])) == 0.003) }
        #expect(path.steadiest(Self.reports([(2, 0.05)])) == 0.05)
    }

    @Test("Of several received streams the steadiest shows the path, unless hardly anything comes of it")
    func jitterOfReceivedStreams() {
        func jitter(_ streams: [(jitter: Double, packets: UInt64)]) -> Double? {
            var report = StatsReport(timestamp: 0)
            var ticks: [InboundDelta] = []
            for (index, stream) in streams.enumerated() {
                var entry = InboundRTPStats(id: "\(index)", timestamp: 0)
                entry.jitter = stream.jitter
                report.inboundRTP.append(entry)
                var tick = InboundDelta(index: index, key: UInt64(index), kind: .audio)
                tick.packets = Increment(amount: stream.packets, seconds: 1)
                ticks.append(tick)
            }
            var path = PathJitter()
            return path.steadiest(ticks, report)
        }
        #expect(jitter([(0.03, 50), (0.004, 50)]) == 0.004 && jitter([(0.004, 50), (0.03, 50)]) == 0.004)
        #expect(jitter([(0.03, 50), (0.004, 3)]) == 0.03 && jitter([(0.004, 0), (0.03, 50)]) == 0.03)
        #expect(jitter([(0.004, 3)]) == 0.004 && jitter([(0.004, 0)]) == nil)
    }

    @Test(
        "Audio is complete while as many packets come as usual, however late, and not while some are missing")
    func arrivals() {
        var arrivals = PacketArrivals()
        for second in 1..<20 {
            // A stall leaves a second with few, and the next with more.
            let rate = second % 2 == 0 ? 30.0 : 70.0
            arrivals.handle(rate, over: 1, at: Double(second) * 1000, window: 8)
        }
        #expect(arrivals.isComplete)
        for second in 20..<30 { arrivals.handle(43, over: 1, at: Double(second) * 1000, window: 8) }
        #expect(!arrivals.isComplete)
        var noise = PacketArrivals()
        for second in 1..<20 { noise.handle(3, over: 1, at: Double(second) * 1000, window: 8) }
        #expect(!noise.isComplete)
    }

    @Test(
        "Audio that is concealed though all of it came was late, whatever jitter the moment of the report has"
    )
    func stalls() {
        var call = ScriptedCall.subscriber()
        var observer = ConnectionObserver()
        var causes: [Diagnosis.Cause] = []
        for second in 0..<60 {
            call.received[0].concealment = second >= 20 ? 0.08 : 0
            call.advance(1)
            if second % 5 == 4 {
                causes += [observer.handle(call.report()).received?.diagnosis.cause].compactMap(\.self)
            }
        }
        #expect(causes.suffix(4).allSatisfy { $0 == .jitter }, "\(causes)")
        #expect(causes.prefix(4).allSatisfy { !$0.isProblem }, "\(causes)")
    }

    @Test("A screen that gives no frames is no dead camera, by the word of its engine")
    func screen() {
        for isScreen in [true, false] {
            var call = ScriptedCall.simulcastPublisher()
            var observer = ConnectionObserver()
            var last: PublisherObservation?
            for second in 0..<40 {
                if second == 15 {
                    call.capturedFrameRate = 0
                    for index in call.sent.indices where call.sent[index].kind == .video {
                        call.sent[index].packetRate = 0
                        call.sent[index].frameRate = 0
                    }
                }
                call.advance(1)
                var report = call.report()
                for index in report.outboundRTP.indices where report.outboundRTP[index].kind == .video {
                    report.outboundRTP[index].extra =
                        isScreen ? [StatsMember(name: "contentType", value: .string("screenshare"))] : []
                }
                last = observer.handle(report).sent
            }
            #expect((last?.diagnosis.cause == .device) == !isScreen, "\(String(describing: last?.diagnosis))")
        }
    }

    @Test("A microphone of which not even silence was ever sent is off")
    func microphone() {
        var call = ScriptedCall.simulcastPublisher()
        call.sent[0].audioLevel = 0
        call.sent[0].packetRate = 0
        var observer = ConnectionObserver()
        for _ in 0..<30 {
            call.advance(1)
            #expect(observer.handle(call.report()).sent?.diagnosis.cause.isProblem != true)
        }
    }

    @Test(
        "Video whose sender continues to count while nothing comes is missing; one that stops counting is off"
    )
    func missing() {
        for continues in [true, false] {
            var call = ScriptedCall.subscriber()
            var observer = ConnectionObserver()
            var counted: UInt64 = 0
            var cause: Diagnosis.Cause?
            for second in 0..<40 {
                if second == 15 { call.received[1].isActive = false }
                call.advance(1)
                var report = call.report()
                if second < 15 || continues { counted += 200 }
                var far = RemoteOutboundRTPStats(id: "S", timestamp: report.timestamp)
                far.kind = .video
                far.ssrc = report.inboundRTP[1].ssrc
                far.packetsSent = counted
                report.remoteOutboundRTP = [far]
                cause = observer.handle(report).received?.diagnosis.cause
            }
            #expect((cause == .media) == continues, "\(String(describing: cause))")
        }
    }

    @Test(
        "A peer's video that shrinks and thins is held down by a network; one that only shrinks, or an SFU's, is not"
    )
    func peer() {
        for (isPeer, isThin, isFound) in [(true, true, true), (true, false, false), (false, true, false)] {
            var call = ScriptedCall.subscriber()
            call.received[1].mid = "1"
            if isPeer {
                call.sent = [.video(ssrc: 9, repair: .ownSSRC)]
                call.sent[0].mid = "1"
            }
            var observer = ConnectionObserver()
            var last: Diagnosis?
            for second in 0..<60 {
                if second == 30 {
                    call.received[1].size = (160, 90)
                    if isThin { call.received[1].packetRate /= 5 }
                }
                call.advance(1)
                last = observer.handle(call.report()).received?.diagnosis
            }
            #expect(
                (last?.cause == .bandwidth) == isFound, "\(isPeer) \(isThin): \(String(describing: last))")
            if isFound { #expect(last?.side == .bothOrUnclear && last?.confidence == .low) }
        }
    }

    @Test("A peer's small video is held down by no one if its encoder makes all that it makes of that size")
    func peerAtRest() {
        for (packets, isFound) in [(40.0, true), (72, false)] {
            var call = ScriptedCall.subscriber()
            call.received[1].mid = "1"
            call.received[1].packetRate = 210
            call.sent = [.video(ssrc: 9, repair: .ownSSRC)]
            call.sent[0].mid = "1"
            var observer = ConnectionObserver()
            var last: Diagnosis?
            for second in 0..<60 {
                if second == 30 {
                    call.received[1].size = (320, 180)
                    call.received[1].packetRate = packets
                }
                call.advance(1)
                last = observer.handle(call.report()).received?.diagnosis
            }
            #expect((last?.cause == .bandwidth) == isFound, "\(packets): \(String(describing: last))")
        }
    }
}
