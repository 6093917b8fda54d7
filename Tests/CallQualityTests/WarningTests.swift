// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import TestSupport
import Testing
import WebRTCStats

@Suite("Call quality warnings")
struct WarningTests {
    /// The warnings of a kind, as they came.
    static func warnings(_ scenario: CallScenario, _ kind: CallQualityWarning.Kind) -> [CallQualityWarning] {
        let sent = scenario.published.flatMap(\.events).compactMap { event -> CallQualityWarning? in
            if case .callQuality(let warning) = event { warning } else { nil }
        }
        let received = scenario.subscribed.flatMap(\.events).compactMap { event -> CallQualityWarning? in
            if case .callQuality(let warning) = event { warning } else { nil }
        }
        return (sent + received).filter { $0.kind == kind }
    }

    static func phases(_ scenario: CallScenario, _ kind: CallQualityWarning.Kind) -> [CallQualityWarning
        .Phase]
    {
        warnings(scenario, kind).map(\.phase)
    }

    @Test("A clean call raises none", arguments: 0..<2)
    func clean(index: Int) {
        var scenario = index == 0 ? CallScenario.publisher() : .subscriber()
        for second in 0..<60 {
            // Speech: the level moves.
            for index in scenario.call.sent.indices {
                scenario.call.sent[index].audioLevel = Double(second % 7) / 10
            }
            for index in scenario.call.received.indices {
                scenario.call.received[index].audioLevel = Double(second % 7) / 10
            }
            if second % 7 == 0 {
                scenario.call.received.indices.forEach { scenario.call.received[$0].audioLevel = 0.05 }
            }
            if second % 7 == 0 {
                scenario.call.sent.indices.forEach { scenario.call.sent[$0].audioLevel = 0.05 }
            }
            scenario.run(.init(1))
        }
        for kind in CallQualityWarning.Kind.allCases {
            #expect(Self.warnings(scenario, kind).isEmpty, "\(kind)")
        }
    }

    @Test(
        "The round trip of media: above 300 ms, and back below",
        arguments: [(0.299, 0), (0.3, 0), (0.301, 2)])
    func roundTrip(time: Double, count: Int) {
        var scenario = CallScenario.publisher()
        scenario.call.sent.removeFirst()
        scenario.run([
            .init(5, roundTripTime: 0.05), .init(5, roundTripTime: time), .init(5, roundTripTime: 0.29),
        ])
        #expect(Self.phases(scenario, .highRemoteInboundRTT) == [.trigger, .recover].suffix(count))
        #expect(Self.warnings(scenario, .highRemoteInboundRTT).allSatisfy { $0.media == .video })
    }

    @Test("At exactly 300 ms a raised round trip warning neither ends nor begins again")
    func roundTripAtLimit() {
        var scenario = CallScenario.publisher()
        scenario.call.sent.removeFirst()
        scenario.run([
            .init(3, roundTripTime: 0.31), .init(5, roundTripTime: 0.3), .init(3, roundTripTime: 0.31),
        ])
        #expect(Self.phases(scenario, .highRemoteInboundRTT) == [.trigger])
    }

    @Test(
        "Jitter above 30 ms of audio, 60 ms of video, in 3 of 4 samples",
        arguments: [
            (0.03, []), (0.031, [MediaKind.audio]), (0.06, [.audio]),
            (0.061, [.audio, .video]),
        ])
    func jitter(value: Double, media: [MediaKind]) {
        var scenario = CallScenario.subscriber()
        scenario.run([.init(5), .init(2, jitter: value)])
        #expect(Self.warnings(scenario, .highInboundJitter).isEmpty)
        scenario.run(.init(1))
        #expect(Self.warnings(scenario, .highInboundJitter).map(\.media) == media)
        scenario.run(.init(1, jitter: 0.001))
        #expect(Self.warnings(scenario, .highInboundJitter).count == media.count)
        scenario.run(.init(1))
        #expect(Self.warnings(scenario, .highInboundJitter).count == 2 * media.count)
    }

    @Test(
        "By default video's jitter has the threshold of audio's, 30 ms",
        arguments: [(0.03, []), (0.031, MediaKind.allCases)])
    func defaultJitter(value: Double, media: [MediaKind]) {
        var scenario = CallScenario.subscriber()
        scenario.subscriber = SubscriberObserver()
        scenario.run([.init(5), .init(3, jitter: value)])
        #expect(Set(Self.warnings(scenario, .highInboundJitter).map(\.media)) == Set(media))
    }

    @Test("Received loss above 1 % in 3 of 4 samples", arguments: [(0.0095, false), (0.0105, true)])
    func inboundLoss(loss: Double, isRaised: Bool) {
        var scenario = CallScenario.subscriber()
        scenario.call.received[1].packetRate = 10_000
        scenario.call.received.remove(at: 0)
        scenario.run([.init(5), .init(6, loss: loss), .init(6, loss: 0)])
        #expect(Self.phases(scenario, .highInboundPacketLoss) == (isRaised ? [.trigger, .recover] : []))
    }

    @Test("Sent loss above 1 % counts RTCP samples, not ticks", arguments: [(0.009, false), (0.012, true)])
    func outboundLoss(loss: Double, isRaised: Bool) {
        var scenario = CallScenario.publisher()
        for index in scenario.call.sent.indices { scenario.call.sent[index].packetRate *= 20 }
        scenario.run([.init(5), .init(8, loss: loss)])
        let video = Self.warnings(scenario, .highOutboundPacketLoss).filter { $0.media == .video }
        #expect(video.map(\.phase) == (isRaised ? [.trigger] : []))
    }

    @Test("ICE that is neither connected nor completed, once the call was established")
    func missingMedia() {
        var scenario = CallScenario.subscriber()
        scenario.call.iceState = .checking
        scenario.run(.init(3))
        scenario.call.iceState = .completed
        scenario.run(.init(3))
        scenario.call.iceState = .disconnected
        scenario.run(.init(3))
        scenario.call.iceState = .connected
        scenario.run(.init(3))
        #expect(Self.phases(scenario, .missingMediaStream) == [.trigger, .recover])
    }

    @Test("A level that does not move for 20 s, either way", arguments: [0.004, 0.012])
    func constantLevel(swing: Double) {
        for var scenario in [CallScenario.publisher(), .subscriber()] {
            for second in 0..<30 {
                let level = 0.2 + (second % 2 == 0 ? swing : 0)
                scenario.call.sent.indices.forEach { scenario.call.sent[$0].audioLevel = level }
                scenario.call.received.indices.forEach { scenario.call.received[$0].audioLevel = level }
                scenario.run(.init(1))
                if second == 18 { #expect(Self.warnings(scenario, .constantAudioLevel).isEmpty) }
            }
            let isConstant = swing < 0.01
            #expect(Self.phases(scenario, .constantAudioLevel) == (isConstant ? [.trigger] : []))
        }
    }

    @Test("No audio at all for 2 s; a muted or a DTX stream is none to warn of")
    func zeroLevel() {
        var scenario = CallScenario.publisher()
        scenario.run(.init(5))
        scenario.call.sent[0].audioLevel = 0
        scenario.run(.init(1))
        #expect(Self.warnings(scenario, .zeroAudioLevel).isEmpty)
        scenario.run(.init(1))
        #expect(Self.phases(scenario, .zeroAudioLevel) == [.trigger])
        scenario.intent.audio?.muted = true
        scenario.run(.init(3))
        #expect(Self.phases(scenario, .zeroAudioLevel) == [.trigger, .recover])
        var dtx = CallScenario.subscriber()
        dtx.intent.audio?.discontinuous = true
        dtx.call.received[0].audioLevel = 0
        dtx.run(.init(30))
        #expect(
            Self.warnings(dtx, .zeroAudioLevel).isEmpty && Self.warnings(dtx, .constantAudioLevel).isEmpty)
    }

    @Test("The lowest quarter of the output volume", arguments: [(0.24, true), (0.25, true), (0.26, false)])
    func outputVolume(volume: Double, isRaised: Bool) {
        var scenario = CallScenario.subscriber()
        scenario.intent.audio?.outputVolume = volume
        scenario.run(.init(3))
        scenario.intent.audio?.outputVolume = 0.8
        scenario.run(.init(3))
        #expect(Self.phases(scenario, .lowOSOutputVolumeLevel) == (isRaised ? [.trigger, .recover] : []))
    }

    @Test("A frame that is static for 2 s is frozen; nothing received for 5 s is missing")
    func frozen() {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(5))
        scenario.call.received[1].isActive = false
        scenario.run(.init(1))
        #expect(Self.warnings(scenario, .frozenVideo).isEmpty)
        scenario.run(.init(1))
        #expect(Self.phases(scenario, .frozenVideo) == [.trigger])
        scenario.run(.init(3))
        #expect(Self.warnings(scenario, .noMediaReceived).map(\.media) == [.video])
        scenario.call.received[1].isActive = true
        scenario.run(.init(2))
        #expect(Self.phases(scenario, .frozenVideo) == [.trigger, .recover])
        #expect(Self.phases(scenario, .noMediaReceived) == [.trigger, .recover])
    }

    @Test("An encoder that the processor limits, not one that the network does, nor one with time to spare")
    func cpuLimited() {
        var scenario = CallScenario.publisher()
        for index in scenario.call.sent.indices { scenario.call.sent[index].codingShare = 0.9 }
        scenario.run(.init(5, isLimited: true))
        #expect(Self.warnings(scenario, .cpuLimited).isEmpty)
        for index in scenario.call.sent.indices { scenario.call.sent[index].limitation = .cpu }
        scenario.run(.init(4))
        #expect(Self.phases(scenario, .cpuLimited) == [.trigger])
        #expect(scenario.published.last?.diagnosis.cause == .cpu)
        for index in scenario.call.sent.indices { scenario.call.sent[index].codingShare = 0.1 }
        scenario.run(.init(2))
        #expect(Self.phases(scenario, .cpuLimited) == [.trigger, .recover])
    }

    @Test(
        "An encoder that leaves frames out while it takes more than 80 % of the time, before the engine says so",
        arguments: [(0.799, 15.0, false), (0.801, 15, true), (0.95, 25, false)])
    func encoderOverloaded(share: Double, frameRate: Double, isRaised: Bool) {
        var scenario = CallScenario.publisher()
        for index in scenario.call.sent.indices {
            scenario.call.sent[index].codingShare = share
            scenario.call.sent[index].frameRate = frameRate
        }
        scenario.run(.init(8))
        #expect(Self.warnings(scenario, .cpuLimited).isEmpty != isRaised)
    }

    @Test("Audible concealment above 3 %", arguments: [(0.029, false), (0.031, true)])
    func concealment(share: Double, isRaised: Bool) {
        var scenario = CallScenario.subscriber()
        scenario.run(.init(3))
        scenario.call.received[0].concealment = share
        scenario.run(.init(6))
        #expect(Self.phases(scenario, .highAudioConcealment) == (isRaised ? [.trigger] : []))
    }

    @Test("A microphone that is digitally silent for 10 s is a device's fault, unless it is muted")
    func silentMicrophone() {
        var scenario = CallScenario.publisher()
        scenario.call.sent[0].audioLevel = 0.0005
        scenario.run(.init(40))
        // A quiet room, with noise suppression, is no fault.
        #expect(scenario.published.last?.diagnosis.cause == Diagnosis.Cause.none)
        scenario.call.sent[0].audioLevel = 0
        scenario.run(.init(9))
        #expect(Self.warnings(scenario, .silentMicrophone).isEmpty)
        scenario.run(.init(3))
        #expect(Self.phases(scenario, .silentMicrophone) == [.trigger])
        #expect(scenario.published.last?.diagnosis.cause == .device)
    }

    @Test("Grace, hold, a recover limit of its own and switching off are settable")
    func settings() {
        var configuration = QualityConfiguration()
        configuration.warnings.highRemoteInboundRTT.grace = 8
        configuration.warnings.highRemoteInboundRTT.hold = 6
        configuration.warnings.highRemoteInboundRTT.recover = 0.2
        configuration.warnings.zeroAudioLevel.isEnabled = false
        var scenario = CallScenario.publisher()
        scenario.publisher = PublisherObserver(configuration: configuration)
        scenario.call.sent[0].rtcpInterval = 1
        scenario.call.sent.removeLast(3)
        scenario.call.sent[0].audioLevel = 0
        scenario.run(.init(7, roundTripTime: 0.4))
        #expect(Self.warnings(scenario, .highRemoteInboundRTT).isEmpty)
        scenario.run([.init(3), .init(3, roundTripTime: 0.25)])
        #expect(Self.phases(scenario, .highRemoteInboundRTT) == [.trigger])
        scenario.run(.init(1, roundTripTime: 0.1))
        #expect(Self.phases(scenario, .highRemoteInboundRTT) == [.trigger])
        scenario.run(.init(3))
        #expect(Self.phases(scenario, .highRemoteInboundRTT) == [.trigger, .recover])
        #expect(Self.warnings(scenario, .zeroAudioLevel).isEmpty)
    }

    @Test(
        "Whatever comes, a warning never begins twice nor ends twice", arguments: Seed.draw(8)
    )
    func alternation(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        for var scenario in [CallScenario.publisher(), .subscriber()] {
            for _ in 0..<60 {
                scenario.run(
                    .init(
                        Int.random(in: 1...4, using: &generator),
                        loss: Double.random(in: 0...0.1, using: &generator),
                        estimate: Double.random(in: 1e5...5e6, using: &generator),
                        roundTripTime: Double.random(in: 0...0.5, using: &generator),
                        isFlowing: Int.random(in: 0..<4, using: &generator) > 0,
                        isLimited: Bool.random(using: &generator),
                        jitter: Double.random(in: 0...0.1, using: &generator)))
            }
            for kind in CallQualityWarning.Kind.allCases {
                let all = Dictionary(grouping: Self.warnings(scenario, kind)) {
                    "\($0.media as Any)\($0.direction as Any)"
                }
                for phases in all.values.map({ $0.map(\.phase) }) {
                    #expect(phases.first == .trigger)
                    #expect(zip(phases, phases.dropFirst()).allSatisfy { $0 != $1 })
                }
            }
        }
    }

    @Test("By default there are Sinch's seven, with its limits, and no others")
    func sinch() {
        let rules = WarningRules()
        #expect(rules == .sinch && QualityConfiguration().warnings == .sinch)
        #expect(rules.highRemoteInboundRTT == WarningRule(0.3))
        #expect(rules.highInboundJitter == WarningRule(0.03))
        #expect(rules.highInboundVideoJitter == WarningRule(0.03))
        #expect(rules.highInboundPacketLoss == WarningRule(0.01))
        #expect(rules.missingMediaStream == WarningRule(0))
        #expect(rules.constantAudioLevel == WarningRule(0.005, duration: 20))
        #expect(rules.zeroAudioLevel == WarningRule(0, duration: 2))
        #expect(rules.lowOSOutputVolumeLevel == WarningRule(0.25))
        for rule in [
            rules.lowMOS, rules.highOutboundPacketLoss, rules.lowBandwidth, rules.noMedia, rules.frozenVideo,
            rules.cpuLimited, rules.decoderOverloaded, rules.highAudioConcealment, rules.silentMicrophone,
            rules.lowCaptureRate,
        ] { #expect(!rule.isEnabled) }
        #expect(WarningRules.extended.lowMOS.isEnabled && WarningRules.extended.lowCaptureRate.isEnabled)
        #expect(WarningRules.extended.highInboundVideoJitter == WarningRule(0.06))
    }

    @Test("What no one wants to be warned of is judged all the same")
    func judgedByDefault() {
        var scenario = CallScenario.publisher()
        scenario.publisher = PublisherObserver()
        scenario.call.sent[0].audioLevel = 0
        scenario.run(.init(20))
        #expect(Self.warnings(scenario, .silentMicrophone).isEmpty)
        #expect(Self.phases(scenario, .zeroAudioLevel) == [.trigger])
        #expect(scenario.published.last?.diagnosis.cause == .device)
    }

    @Test(
        "A raised loss warning ends with the video that is switched off, and says that it no longer applies")
    func switchedOff() throws {
        var scenario = CallScenario.subscriber()
        scenario.call.received[1].packetRate = 10_000
        scenario.run([.init(5), .init(6, loss: 0.1)])
        scenario.intent.video?.isCapturing = false
        scenario.call.received[1].isActive = false
        scenario.run(.init(1))
        let video = Self.warnings(scenario, .highInboundPacketLoss).filter { $0.media == .video }
        #expect(video.map(\.phase) == [.trigger, .recover])
        #expect(video.map(\.recovery) == [nil, .notApplicable])
        scenario.run(.init(8, loss: 0))
        let audio = Self.warnings(scenario, .highInboundPacketLoss).filter { $0.media == .audio }
        #expect(audio.map(\.recovery) == [nil, .measured])
    }

    @Test("No hold keeps a warning of what is switched off")
    func holdOfWhatIsOff() {
        var scenario = CallScenario.publisher()
        var configuration = QualityConfiguration()
        configuration.warnings.zeroAudioLevel.hold = 60
        scenario.publisher = PublisherObserver(configuration: configuration)
        scenario.call.sent[0].audioLevel = 0
        scenario.run(.init(5))
        scenario.intent.audio?.muted = true
        scenario.run(.init(1))
        #expect(Self.phases(scenario, .zeroAudioLevel) == [.trigger, .recover])
    }

    @Test("A processor that limits the encoders of a relayed stream, and its slow camera, are warned of once")
    func oncePerStreamOfVideo() {
        let ends = ["a", "b"].map { SubscriberConnection(connectionId: $0, subscriberId: "of \($0)") }
        var calls = ends.map { _ in ScriptedCall.simulcastPublisher() }
        var observer = PublisherObserver(configuration: .extended)
        var intent = MediaIntent.simulcast()
        intent.video?.preferredFrameRate = 30
        var warnings: [CallQualityWarning] = []
        for second in 0..<40 {
            let (isLimited, isSlow) = ((8..<16).contains(second), (24..<32).contains(second))
            for index in calls.indices {
                calls[index].capturedFrameRate = isSlow ? 10 : 30
                for stream in calls[index].sent.indices {
                    calls[index].sent[stream].limitation = isLimited ? .cpu : nil
                    calls[index].sent[stream].codingShare = isLimited ? 0.95 : 0.1
                }
                calls[index].advance(1)
            }
            let observation = observer.handle(
                zip(calls, ends).map { ConnectionReport($0.report(), connection: $1) }, intent: intent)
            warnings += observation.events.compactMap {
                if case .callQuality(let warning) = $0 { warning } else { nil }
            }
        }
        for kind in [CallQualityWarning.Kind.cpuLimited, .lowCaptureRate] {
            #expect(warnings.filter { $0.kind == kind }.map(\.phase) == [.trigger, .recover], "\(kind)")
        }
    }

    @Test(
        "A silent microphone of a relayed stream is warned of once, however many its subscribers, and ends once"
    )
    func oncePerStream() {
        let ends = ["a", "b", "c"].map { SubscriberConnection(connectionId: $0, subscriberId: "of \($0)") }
        var calls = ends.map { _ in ScriptedCall.simulcastPublisher() }
        var observer = PublisherObserver(configuration: .extended)
        var warnings: [CallQualityWarning] = []
        func run(_ seconds: Int, _ present: Range<Int>, level: Double) {
            for _ in 0..<seconds {
                for index in calls.indices {
                    calls[index].sent[0].audioLevel = level
                    calls[index].advance(1)
                }
                let observation = observer.handle(
                    present.map { ConnectionReport(calls[$0].report(), connection: ends[$0]) },
                    intent: .simulcast())
                warnings += observation.events.compactMap {
                    if case .callQuality(let warning) = $0 { warning } else { nil }
                }
            }
        }
        run(15, 0..<3, level: 0)
        let kinds: [CallQualityWarning.Kind] = [.zeroAudioLevel, .silentMicrophone]
        #expect(warnings.map(\.kind) == kinds)
        #expect(warnings.allSatisfy { $0.phase == .trigger && $0.connectionId == nil })
        observer.forget(ends[2])
        run(3, 0..<2, level: 0)
        #expect(warnings.count == 2, "two subscribers are left that hear nothing")
        run(3, 0..<2, level: 0.3)
        #expect(warnings.dropFirst(2).map(\.kind) == kinds)
        #expect(warnings.dropFirst(2).allSatisfy { $0.phase == .recover && $0.recovery == .measured })
    }

    @Test("The warnings of a subscriber's connection end with it")
    func connectionEnds() {
        let ends = ["a", "b"].map { SubscriberConnection(connectionId: $0, subscriberId: "of \($0)") }
        var calls = ends.map { _ in ScriptedCall.simulcastPublisher() }
        for index in calls[1].sent.indices { calls[1].sent[index].packetRate *= 20 }
        calls[1].setLoss(0.1)
        var observer = PublisherObserver(configuration: .extended)
        var warnings: [CallQualityWarning] = []
        func run(_ seconds: Int, _ present: Range<Int>) {
            for _ in 0..<seconds {
                for index in calls.indices { calls[index].advance(1) }
                let observation = observer.handle(
                    present.map { ConnectionReport(calls[$0].report(), connection: ends[$0]) },
                    intent: .simulcast())
                warnings += observation.events.compactMap {
                    if case .callQuality(let warning) = $0, warning.kind == .highOutboundPacketLoss,
                        warning.media == .video
                    {
                        warning
                    } else {
                        nil
                    }
                }
            }
        }
        run(15, 0..<2)
        #expect(warnings.map(\.connectionId) == ["b"])
        observer.forget(ends[1])
        run(2, 0..<1)
        #expect(warnings.map(\.connectionId) == ["b", "b"])
        #expect(warnings.last?.recovery == .notApplicable)
    }
}
