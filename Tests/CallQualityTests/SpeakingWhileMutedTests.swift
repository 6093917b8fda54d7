// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing

/// A microphone that is muted, and someone who does not know it.
@Suite("Speaking while muted")
struct SpeakingWhileMutedTests {
    private static func scenario(level: Double, isMuted: Bool = true) -> CallScenario {
        var scenario = CallScenario.publisher()
        scenario.intent.audio?.muted = isMuted
        scenario.call.sent[0].audioLevel = level
        scenario.run(.init(10))
        return scenario
    }

    @Test(
        "A level of speech is reported, one of a quiet room is not",
        arguments: [(0.019, false), (0.021, true)])
    func level(level: Double, isRaised: Bool) {
        let scenario = Self.scenario(level: level)
        #expect(WarningTests.phases(scenario, .speakingWhileMuted) == (isRaised ? [.trigger] : []))
        #expect(scenario.published.last?.diagnosis.cause == Diagnosis.Cause.none)
    }

    @Test("Not of someone who is heard, and not where the microphone rests while it is muted")
    func heard() {
        #expect(WarningTests.warnings(Self.scenario(level: 0.3, isMuted: false), .speakingWhileMuted).isEmpty)
        #expect(WarningTests.warnings(Self.scenario(level: 0), .speakingWhileMuted).isEmpty)
        var unknown = CallScenario.publisher()
        unknown.intent.audio = nil
        unknown.call.sent[0].audioLevel = 0.3
        unknown.run(.init(10))
        #expect(WarningTests.warnings(unknown, .speakingWhileMuted).isEmpty)
    }

    @Test("A cough is none")
    func cough() {
        var scenario = Self.scenario(level: 0)
        for level in [0.3, 0, 0, 0.3, 0, 0] {
            scenario.call.sent[0].audioLevel = level
            scenario.run(.init(1))
        }
        #expect(WarningTests.warnings(scenario, .speakingWhileMuted).isEmpty)
    }

    @Test("It is over when no one speaks, and not applicable when it is heard")
    func end() {
        var quiet = Self.scenario(level: 0.1)
        quiet.call.sent[0].audioLevel = 0
        quiet.run(.init(3))
        #expect(WarningTests.warnings(quiet, .speakingWhileMuted).last?.recovery == .measured)
        var heard = Self.scenario(level: 0.1)
        heard.intent.audio?.muted = false
        heard.run(.init(1))
        #expect(WarningTests.warnings(heard, .speakingWhileMuted).last?.recovery == .notApplicable)
    }

    @Test("The microphone is the stream's, however many its subscribers: it is reported once")
    func relayed() {
        var observer = PublisherObserver(configuration: .extended)
        var intent = MediaIntent.simulcast()
        intent.audio?.muted = true
        var call = ScriptedCall.simulcastPublisher()
        call.sent[0].audioLevel = 0.1
        var raised: [CallQualityWarning] = []
        for _ in 0..<10 {
            call.advance(1)
            let reports = ["a", "b"].map {
                ConnectionReport(
                    call.report(), connection: SubscriberConnection(connectionId: $0, subscriberId: $0))
            }
            for case .callQuality(let warning) in observer.handle(reports, intent: intent).events
            where warning.kind == .speakingWhileMuted {
                raised.append(warning)
            }
        }
        #expect(raised.count == 1 && raised.first?.connectionId == nil)
    }
}
