// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import LabScoring
import TestSupport
import Testing
import WebRTCStats

/// Real calls of the lab that are kept with the sources.
@Suite("Kept calls of the lab")
struct KeptCallTests {
    private static let folder = CallFolder(path: Repository.url("Lab/Recordings").path)

    static let calls = (try? folder.timelines()) ?? []

    @Test("are there, and were what their schedules say")
    func present() {
        #expect(Self.calls.count >= 8)
        for call in Self.calls {
            let scenario = ScenarioTable.scenario(call.scenario)
            #expect(scenario.map { ScheduleCheck.objections($0, call) } == [])
        }
    }

    @Test("hold no addresses", arguments: calls)
    func redacted(_ call: Timeline) throws {
        for record in try Self.folder.records(of: call) {
            for candidate in record.report.localCandidates + record.report.remoteCandidates {
                #expect(candidate.address?.hasPrefix("ipv") ?? true)
            }
        }
    }

    @Test("are judged rightly: cause, side and, where nothing is wrong, no alarm", arguments: calls)
    func judged(_ call: Timeline) throws {
        let scenario = try #require(ScenarioTable.scenario(call.scenario))
        let again = Replay.timeline(call, try Self.folder.records(of: call))
        let score = Scorer.score(scenario, again)
        for party in Scenario.Party.allCases {
            let view = score[party]
            #expect(view.settledSeconds >= 10)
            #expect(Double(view.causeRight) >= Self.share * Double(view.settledSeconds), "\(view.mistakes)")
            #expect(Double(view.sideRight) >= Self.share * Double(view.sideSeconds), "\(view.sideMistakes)")
            #expect(!view.detections.contains(nil))
        }
        #expect(score.cleanAlarms ?? [] == [])
    }

    /// Seconds that have to be right, in each call.
    private static let share = 0.9

    @Test("are judged by a replay as by the observers alone, facts from elsewhere included", arguments: calls)
    func observed(_ call: Timeline) throws {
        let records = try Self.folder.records(of: call)
        var replay = CallReplay()
        var publisher = PublisherObserver(configuration: .extended)
        var subscriber = SubscriberObserver(configuration: .extended)
        for record in records {
            replay.handle(record)
            let intent = try #require(record.intent)
            let last = replay.timeline.views.last { $0.id.peerConnection == record.peerConnection }
            let remote = record.remote ?? RemoteMetrics()
            switch try #require(last?.observations.last?.content) {
            case .publisher(let again):
                #expect(publisher.handle(record.report, intent: intent, remote: remote) == again)
            case .subscriber(let again):
                #expect(subscriber.handle(record.report, intent: intent, remote: remote) == again)
            }
        }
    }

    @Test("with facts of the publisher are judged by today's rules for it, not by those of that day")
    func rejudged() throws {
        let call = try #require(Self.calls.first { $0.scenario == "loss-5-up" })
        var records = try Self.folder.records(of: call)
        let right = Scorer.score(
            try #require(ScenarioTable.scenario(call.scenario)), Replay.timeline(call, records))
        for index in records.indices {
            // A rule of that day that found nothing wrong, ever.
            records[index].remote?.publisher?.value.transport?.networkCondition = .excellent
            records[index].remote?.publisher?.value.transport?.networkConditionReason = .none
        }
        let again = Scorer.score(
            try #require(ScenarioTable.scenario(call.scenario)), Replay.timeline(call, records))
        #expect(again.bob == right.bob)
    }
}
