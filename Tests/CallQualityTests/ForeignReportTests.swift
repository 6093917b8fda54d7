// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing
import WebRTCStats

@testable import CallQuality

/// Reports of which no one says what is wanted.
@Suite("Reports without an intent")
struct ForeignReportTests {
    /// A peer connection that is observed as a whole, once a second.
    private struct Observed {
        var call: ScriptedCall
        var observer = ConnectionObserver()
        var last = ConnectionObserver.Result()
        /// Causes of what is received, tick by tick.
        var causes: [Diagnosis.Cause] = []

        mutating func run(_ seconds: Int) {
            for _ in 0..<seconds {
                call.advance(1)
                last = observer.handle(call.report())
                causes += [last.received?.diagnosis.cause].compactMap(\.self)
            }
        }
    }

    /// Ten participants on one peer connection.
    private static var conference: ScriptedCall {
        var call = ScriptedCall()
        for index in 0..<10 {
            var video = ScriptedStream.video(ssrc: UInt64(100 + index), repair: .ownSSRC)
            video.mid = "\(index)"
            call.received.append(video)
        }
        return call
    }

    @Test("One frozen track among ten is named, and the others are well")
    func frozenTrack() throws {
        var observed = Observed(call: Self.conference)
        observed.run(10)
        #expect(observed.last.receivedTracks.count == 10)
        observed.call.received[3].frameRate = 0
        observed.run(5)
        let whole = try #require(observed.last.received?.diagnosis)
        #expect(whole.cause == .media && whole.track?.mid == "3" && whole.track?.kind == .video)
        for (index, track) in observed.last.receivedTracks.enumerated() {
            #expect(track.track?.mid == "\(index)")
            #expect((track.diagnosis.cause == .media) == (index == 3))
        }
    }

    @Test("Where one kind has several tracks the only one of the other kind is a track, too")
    func mixedTracks() {
        var call = Self.conference
        var audio = ScriptedStream.audio(ssrc: 90)
        audio.mid = "a"
        call.received.append(audio)
        var observed = Observed(call: call)
        observed.run(6)
        #expect(observed.last.receivedTracks.contains { $0.track?.mid == "a" && $0.audio != nil })
    }

    @Test("A track that replaces another is not one of several, and what is gone has no view")
    func replacedTrack() {
        var call = ScriptedCall.subscriber()
        call.received[1].mid = "1"
        var observed = Observed(call: call)
        observed.run(10)
        observed.call.received[1] = .video(ssrc: 77, repair: .ownSSRC)
        observed.call.received[1].mid = "2"
        observed.run(40)
        #expect(observed.last.receivedTracks.isEmpty)
        #expect(observed.causes.allSatisfy { !$0.isProblem })
    }

    @Test("Two microphones show a router, unless one of them may be what a screen plays")
    func twoMicrophones() {
        func side(videos: Int, isScreen: Bool = false) -> NetworkDegradationSource? {
            var call = ScriptedCall(), observer = ConnectionObserver(), last = ConnectionObserver.Result()
            for index in 0..<2 { call.received.append(.audio(ssrc: UInt64(20 + index))) }
            for index in 0..<videos { call.received.append(.video(ssrc: UInt64(30 + index))) }
            for second in 0..<16 {
                if second == 8 { call.setLoss(0.08) }
                call.advance(1)
                var report = call.report()
                if isScreen {
                    report.inboundRTP[2].extra.append(
                        .init(name: "contentType", value: .string("screenshare")))
                }
                last = observer.handle(report)
            }
            return last.received?.diagnosis.side
        }
        #expect(side(videos: 0) == .local && side(videos: 2) == .local)
        #expect(side(videos: 1) == .bothOrUnclear && side(videos: 2, isScreen: true) == .bothOrUnclear)
    }

    @Test("More than 64 streams are as well as few")
    func manyStreams() {
        var call = ScriptedCall()
        for index in 0..<80 { call.received.append(.audio(ssrc: UInt64(100 + index))) }
        var observed = Observed(call: call)
        observed.run(20)
        let rates = observed.last.receivedTracks.compactMap { $0.audio?.bitrate }
        #expect(rates.count == 80 && rates.allSatisfy { $0 < 200_000 })
    }

    @Test("Video of which packets come and no frame is missing; probes without a payload are no video")
    func neverDecoded() {
        var observed = Observed(call: .subscriber())
        observed.call.received[1].frameRate = 0
        observed.run(8)
        #expect(observed.last.received?.diagnosis.cause == .media)
        var probes = Observed(call: .subscriber())
        probes.call.received[1].frameRate = 0
        probes.call.received[1].packetSize = 0
        probes.run(12)
        #expect(probes.causes.allSatisfy { !$0.isProblem })
    }

    @Test("A stream that stops altogether is on hold, muted or off")
    func stopped() {
        for stopped in [[0], [1], [0, 1]] {
            var observed = Observed(call: .subscriber())
            observed.run(10)
            for index in stopped { observed.call.received[index].isActive = false }
            observed.run(20)
            #expect(observed.causes.allSatisfy { !$0.isProblem }, "\(stopped)")
        }
    }

    @Test("Probes that repeat packets are no media: the rate without them has not fallen")
    func probes() {
        var call = ScriptedCall.subscriber(), observer = ConnectionObserver(), repeated: UInt64 = 0
        var causes: [Diagnosis.Cause] = []
        for second in 0..<40 {
            call.setLoss((12..<18).contains(second) ? 0.03 : 0)
            call.advance(1)
            if (8..<13).contains(second) { repeated += 150_000 }
            var report = call.report()
            report.inboundRTP[1].bytesReceived = (report.inboundRTP[1].bytesReceived ?? 0) + repeated
            report.inboundRTP[1].retransmittedBytesReceived =
                (report.inboundRTP[1].retransmittedBytesReceived ?? 0) + repeated
            report.candidatePairs[0].bytesReceived =
                (report.candidatePairs[0].bytesReceived ?? 0) + repeated
            causes += [observer.handle(report).received?.diagnosis.cause].compactMap(\.self)
        }
        #expect(causes.contains(.packetLoss) && !causes.contains(.bandwidth))
    }

    @Test(
        "Where the engine gives no round trip time of the pair, that of media by RTCP is the path's for what is received, too"
    )
    func roundTripTimeOfMedia() {
        var call = ScriptedCall.simulcastPublisher(), observer = ConnectionObserver()
        call.received = ScriptedCall.subscriber().received
        (call.estimate, call.roundTripTime) = (nil, 0.6)
        var last = ConnectionObserver.Result()
        for _ in 0..<20 {
            call.advance(1)
            var report = call.report()
            report.candidatePairs[0].currentRoundTripTime = nil
            last = observer.handle(report)
        }
        #expect(last.received?.diagnosis.cause == .latency)
        #expect(last.sent?.diagnosis.cause == .latency)
        #expect(last.received?.audioDetails.roundTripTime == 0.6)
        #expect(last.received?.audio?.mos != nil)
    }

    @Test("What the first RTCP report after a sleep says of jitter is of the sleep")
    func jitterAfterSleep() {
        var call = ScriptedCall.simulcastPublisher(), observer = ConnectionObserver()
        func run(_ seconds: Double, jitter: Double) -> Double? {
            call.sent[0].jitter = jitter
            call.advance(seconds)
            return observer.handle(call.report()).sent?.audio.first?.jitter
        }
        for _ in 0..<10 { _ = run(1, jitter: 0.002) }
        #expect(run(40, jitter: 0.066) == nil)
        var later: [Double] = []
        for _ in 0..<10 { later += [run(1, jitter: 0.003)].compactMap(\.self) }
        #expect(!later.isEmpty && later.allSatisfy { $0 < 0.004 })
    }

    @Test("A path is TCP if its local candidate is, or reaches its TURN server by it")
    func reliablePath() {
        func isTCP(_ change: (inout CandidateStats) -> Void) -> Bool {
            var call = ScriptedCall.simulcastPublisher(), tracker = PathDeltaTracker()
            call.advance(1)
            var report = call.report(), candidate = CandidateStats(id: "L", timestamp: report.timestamp)
            change(&candidate)
            report.localCandidates = [candidate]
            report.candidatePairs[0].localCandidateId = "L"
            return tracker.advance(to: report, Tick(time: 1000, previous: 0)).isTCP
        }
        #expect(isTCP { $0.relayProtocol = .tls } && isTCP { $0.relayProtocol = .tcp })
        #expect(isTCP { $0.protocol = "tcp" })
        #expect(!isTCP { $0.protocol = "udp" } && !isTCP { $0.relayProtocol = .udp })
    }

    @Test("Whose side it is of a path that no router is known to divide is unclear")
    func unknownRouting() {
        var observed = Observed(call: .subscriber())
        observed.run(10)
        observed.call.setLoss(0.1)
        observed.run(6)
        #expect(observed.last.received?.diagnosis.cause == .packetLoss)
        #expect(observed.last.received?.diagnosis.side == .bothOrUnclear)
        #expect(observed.last.received?.networkDegradationSource == .bothOrUnclear)
    }

    @Test("Digital silence is a microphone's fault, unless it was heard before: then it is muted")
    func microphone() {
        var dead = Observed(call: .simulcastPublisher())
        dead.call.sent[0].audioLevel = 0
        dead.run(15)
        #expect(dead.last.sent?.diagnosis.cause == .device)
        #expect(dead.last.sent?.diagnosis.track?.kind == .audio)
        var muted = Observed(call: .simulcastPublisher())
        muted.call.sent[0].audioLevel = 0.1
        muted.run(5)
        muted.call.sent[0].audioLevel = 0
        muted.run(60)
        #expect(muted.last.sent?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test("A microphone that no longer gives samples has ended; on hold it rests")
    func endedMicrophone() {
        for isOnHold in [false, true] {
            var observed = Observed(call: .simulcastPublisher())
            observed.run(10)
            observed.call.sent[0].isSampled = false
            observed.call.sent[0].audioLevel = 0
            observed.call.sent[0].packetRate = 0
            observed.call.sent[0].isActive = !isOnHold
            observed.run(15)
            #expect((observed.last.sent?.diagnosis.cause == .device) == !isOnHold)
        }
    }

    @Test("A device that is not given its samples in time makes gaps of its own; a short one is nothing")
    func playoutGaps() throws {
        var observed = Observed(call: .subscriber())
        observed.call.playoutGaps = 0
        observed.run(10)
        observed.call.playoutGaps = 0.1
        observed.run(8)
        let diagnosis = try #require(observed.last.received?.diagnosis)
        #expect(diagnosis.cause == .device && diagnosis.side == .local && diagnosis.severity == .bad)
        #expect(diagnosis.track?.kind == .audio)
        observed.call.playoutGaps = 0
        observed.run(8)
        #expect(observed.last.received?.diagnosis.cause == Diagnosis.Cause.none)
        observed.causes = []
        observed.call.playoutGaps = 0.3
        observed.run(1)
        observed.call.playoutGaps = 0
        observed.run(8)
        #expect(observed.causes.allSatisfy { !$0.isProblem })
    }

    @Test("What is no longer reported of a device that plays is no fault of it")
    func playoutGapsWithoutReports() {
        var observed = Observed(call: .subscriber())
        observed.call.playoutGaps = 0
        observed.run(10)
        observed.call.playoutGaps = 0.1
        observed.run(8)
        #expect(observed.last.received?.diagnosis.cause == .device)
        observed.call.playoutGaps = nil
        observed.run(12)
        #expect(observed.last.received?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test("An encoder that bandwidth limits from the start wants what its source gives")
    func limitedFromTheStart() throws {
        var call = ScriptedCall()
        call.sent = [.video(ssrc: 2, width: 640, height: 360, packetRate: 40)]
        call.sent[0].limitation = .bandwidth
        call.captured = (1280, 720)
        call.estimate = 350_000
        var observed = Observed(call: call)
        observed.run(16)
        let uplink = try #require(observed.last.sent?.legs.first?.transport)
        #expect(uplink.bandwidthDemand ?? 0 > 700_000)
        #expect(observed.last.sent?.diagnosis.cause == .bandwidth)
    }

    @Test(
        "An engine that says that bandwidth limits its encoder is believed once the video is smaller for it")
    func limitedEncoder() {
        func cause(estimate: Double?, lacks layer: Bool = false) -> Diagnosis.Cause? {
            var observed = Observed(call: .simulcastPublisher())
            observed.call.estimate = estimate
            for index in 1...3 { observed.call.sent[index].limitation = .bandwidth }
            if layer {
                // Sent no more, though nothing has switched it off.
                observed.call.sent[2].packetRate = 0
                observed.call.sent[3].packetRate = 0
            } else {
                observed.call.sent[3].isActive = false
                observed.call.sent[2].isActive = false
            }
            observed.run(16)
            return observed.last.sent?.diagnosis.cause
        }
        // Of an estimate that is not known, or filled, or too small for the next layer.
        #expect(cause(estimate: nil) == .bandwidth)
        #expect(cause(estimate: 280_000) == .bandwidth)
        #expect(cause(estimate: 400_000, lacks: true) == .bandwidth)
        // The network has room for thirty times of what is sent.
        #expect(cause(estimate: 5_000_000) == Diagnosis.Cause.none)
    }

    @Test("An encoder is overloaded, too, where its source lacks time as well and gives fewer frames")
    func starvedSource() {
        func cause(encoded: Double, share: Double) -> Diagnosis.Cause? {
            var observed = Observed(call: ScriptedCall())
            observed.call.sent = [.video(ssrc: 2, width: 1280, height: 720)]
            observed.call.captured = (1280, 720)
            observed.run(12)
            observed.call.capturedFrameRate = 11
            (observed.call.sent[0].frameRate, observed.call.sent[0].codingShare) = (encoded, share)
            observed.run(8)
            return observed.last.sent?.diagnosis.cause
        }
        #expect(cause(encoded: 9.5, share: 0.9) == .cpu)
        // A dim camera, all of whose frames are encoded, and an encoder with time to spare.
        #expect(cause(encoded: 11, share: 0.9) == Diagnosis.Cause.none)
        #expect(cause(encoded: 9.5, share: 0.5) == Diagnosis.Cause.none)
    }

    @Test(
        "Video that was made smaller for want of time to encode it stays limited by that until it is whole again"
    )
    func reducedForCPU() {
        var observed = Observed(call: ScriptedCall())
        observed.call.sent = [.video(ssrc: 2, width: 1280, height: 720)]
        observed.call.sent[0].limitation = nil
        observed.call.captured = (1280, 720)
        observed.run(12)
        observed.call.sent[0].codingShare = 0.97
        observed.call.sent[0].frameRate = 12
        observed.run(6)
        #expect(observed.last.sent?.diagnosis.cause == .cpu)
        // A quarter of the pixels takes half of the time, and no frame is skipped.
        observed.call.sent[0].size = (640, 360)
        (observed.call.sent[0].codingShare, observed.call.sent[0].frameRate) = (0.55, 30)
        observed.run(70)
        #expect(observed.last.sent?.diagnosis.cause == .cpu)
        var restored = observed
        restored.call.sent[0].size = (1280, 720)
        restored.call.sent[0].codingShare = 0.2
        restored.run(12)
        #expect(restored.last.sent?.diagnosis.cause == Diagnosis.Cause.none)
        // With time to spare for a minute, it stays small for another reason.
        observed.call.sent[0].codingShare = 0.1
        observed.run(75)
        #expect(observed.last.sent?.diagnosis.cause != .cpu)
    }

    @Test("Where nothing but a report every five seconds comes back, its pauses are no outage")
    func sparseReports() {
        var detector = OutageDetector()
        let rules = ConditionRules()
        func isOutage(_ seconds: ClosedRange<Int>, arrives: (Int) -> Bool) -> Bool {
            var isOutage = false
            for second in seconds {
                let tick = Tick(time: Double(second) * 1000, previous: Double(second - 1) * 1000)
                _ = detector.handle(
                    arrived: arrives(second), isExpected: true, isConnected: true,
                    prior: rules.sparseReportInterval, at: tick, rules)
                isOutage = isOutage || detector.since != nil
            }
            return isOutage
        }
        #expect(!isOutage(1...120) { $0 % 5 == 0 })
        #expect(isOutage(121...140) { _ in false })
        detector = OutageDetector()
        #expect(!isOutage(1...60) { _ in true })
        #expect(isOutage(61...64) { _ in false })
    }

    @Test("Once something comes again, an outage that lasts is that of one direction")
    func halfOutage() {
        var detector = OutageDetector()
        func handle(_ second: Int, arrived: Bool, isConnected: Bool) {
            let tick = Tick(time: Double(second) * 1000, previous: Double(second - 1) * 1000)
            _ = detector.handle(
                arrived: arrived, isExpected: true, isConnected: isConnected, prior: 1, at: tick,
                ConditionRules())
        }
        for second in 1...20 { handle(second, arrived: true, isConnected: true) }
        for second in 21...25 { handle(second, arrived: false, isConnected: true) }
        #expect(detector.since == 20_000 && detector.isWhole)
        // Its own reports still do not come back.
        handle(26, arrived: true, isConnected: false)
        #expect(detector.since == 20_000 && !detector.isWhole)
    }

    @Test("Where nothing at all comes, both directions are out at once, and no side is to blame")
    func silence() {
        var call = ScriptedCall.subscriber()
        call.sent = [.audio(ssrc: 1), .video(ssrc: 2)]
        var observed = Observed(call: call)
        observed.run(15)
        observed.call.setFlowing(false)
        observed.run(1)
        #expect(observed.last.received?.diagnosis.cause != .connection)
        observed.run(2)
        for _ in 0..<4 {
            let (sent, received) = (observed.last.sent?.diagnosis, observed.last.received?.diagnosis)
            #expect(sent?.cause == .connection && sent?.direction == .both && sent?.side == nil)
            #expect(received?.cause == .connection && received?.direction == .both)
            #expect(received?.side == .bothOrUnclear)
            observed.run(1)
        }
        observed.call.setFlowing(true)
        observed.run(10)
        #expect(observed.last.received?.diagnosis.cause != .connection)
        #expect(observed.last.sent?.diagnosis.cause != .connection)
    }

    @Test("A far end that holds is not out for what it sends: it answers what it is sent")
    func hold() {
        var call = ScriptedCall.subscriber()
        call.sent = [.audio(ssrc: 1), .video(ssrc: 2)]
        var observed = Observed(call: call)
        observed.run(15)
        for index in observed.call.received.indices { observed.call.received[index].isFlowing = false }
        observed.run(20)
        #expect(observed.causes.allSatisfy { $0 != .connection })
    }

    @Test("A clock that is set back or forward moves no window", arguments: [-600.0, 600])
    func clockStep(seconds: Double) {
        var observed = Observed(call: .subscriber())
        observed.run(10)
        observed.call.setLoss(0.1)
        observed.run(5)
        observed.call.stepClock(seconds: seconds)
        observed.run(3)
        #expect(observed.last.received?.timestamp == observed.call.time)
        observed.call.setLoss(0)
        observed.run(12)
        #expect(observed.last.received?.diagnosis.cause == Diagnosis.Cause.none)
        observed.call.setLoss(0.1)
        observed.run(6)
        #expect(observed.last.received?.diagnosis.cause == .packetLoss)
    }
}
