// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import LabScoring
import MediaEngine
import Testing

/// A call with loss on bob's downlink from 10 to 20 s, of 30 s.
private let lossy = Scenario(
    name: "lossy", summary: "", duration: 30,
    spans: [
        .init(start: 0),
        .init(start: 10, bob: .fault(.packetLoss, [.downlink], side: .local)),
        .init(start: 20, bob: .recovering()),
    ])

private let well = Diagnosis(cause: .none, side: NetworkDegradationSource.none)

private let loss = Diagnosis(cause: .packetLoss, direction: .downlink, side: .local, severity: .disturbing)

/// What bob says each half second after the full one, and what alice, who always finds all well, does.
private func timeline(
    _ scenario: Scenario = lossy, _ bob: (Double) -> Diagnosis?
) -> Timeline {
    var samples: [Timeline.Sample] = []
    for second in stride(from: 0.5, to: scenario.duration, by: 1) {
        samples.append(.init(time: second, party: .alice, diagnosis: Diagnosis(cause: .none)))
        if let diagnosis = bob(second) {
            samples.append(.init(time: second, party: .bob, diagnosis: diagnosis))
        }
    }
    return Timeline(scenario: scenario.name, seed: 1, samples: samples)
}

@Suite("The scorer")
struct ScorerTests {
    @Test("gives full marks for being right, with the times it took")
    func right() {
        let score = Scorer.score(lossy, timeline { (12..<23).contains($0) ? loss : well })
        // 6 s before, 6 s during and 6 s after are settled.
        #expect(score.bob.settledSeconds == 18)
        #expect(score.bob.causeRight == 18)
        #expect(score.bob.sideRight == score.bob.sideSeconds)
        #expect(score.bob.fault.seconds == 6)
        #expect(score.bob.fault.causeRight == 6)
        #expect(score.bob.fault.sideSeconds == 6)
        #expect(score.bob.detections == [2.5])
        #expect(score.bob.clears == [3.5])
        #expect(score.alice.causeRight == score.alice.settledSeconds)
        #expect(score.alice.detections.isEmpty)
        #expect(score.cleanAlarms == nil)
    }

    @Test("forgives what is said before a change has settled, and nothing after")
    func settling() {
        let inTime = Scorer.score(lossy, timeline { (14..<24).contains($0) ? loss : well })
        #expect(inTime.bob.causeRight == 18)
        let late = Scorer.score(lossy, timeline { (15..<25).contains($0) ? loss : well })
        #expect(late.bob.causeRight == 16)
    }

    @Test("counts unknown as wrong, and so silence, but not a single gap")
    func unknown() {
        let unknown = Scorer.score(lossy, timeline { (10..<20).contains($0) ? Diagnosis() : well })
        #expect(unknown.bob.causeRight == 12)
        #expect(unknown.bob.detections == [nil])
        #expect(unknown.bob.clears.isEmpty)
        #expect(unknown.bob.mistakes == [.init(expected: "packetLoss", said: "unknown"): 6])
        let silent = Scorer.score(lossy, timeline { (10..<20).contains($0) ? nil : well })
        #expect(silent.bob.causeRight == 12)
        let gap = Scorer.score(
            lossy, timeline { $0 == 16.5 ? nil : (12..<23).contains($0) ? loss : well })
        #expect(gap.bob.causeRight == 18)
    }

    @Test("tells a right cause on the wrong side apart")
    func side() {
        var wrong = loss
        wrong.side = .remote
        let score = Scorer.score(lossy, timeline { (12..<23).contains($0) ? wrong : well })
        #expect(score.bob.causeRight == 18)
        // After the problem no side is judged.
        #expect(score.bob.sideSeconds == 12)
        #expect(score.bob.sideRight == 6)
    }

    @Test("lets a recovery be called recovering or none, but nothing else")
    func recovering() {
        let recovering = Diagnosis(cause: .recovering)
        let good = Scorer.score(
            lossy, timeline { $0 >= 23 ? recovering : $0 >= 12 ? loss : well })
        #expect(good.bob.causeRight == 18)
        #expect(good.bob.clears == [3.5])
        let bad = Scorer.score(lossy, timeline { $0 >= 12 ? loss : well })
        #expect(bad.bob.causeRight == 12)
        #expect(bad.bob.clears == [nil])
    }

    @Test("counts alarms and beginnings of problems on clean calls only")
    func alarms() throws {
        let clean = Scenario(name: "clean", summary: "", duration: 20)
        var said = timeline(clean) { (12..<14).contains($0) ? loss : well }
        said.samples.append(.init(time: 15, party: .bob, diagnosis: well, alarms: ["warning"]))
        let alarms = try #require(Scorer.score(clean, said).cleanAlarms)
        #expect(alarms.count == 2)
        #expect(Scorer.score(clean, timeline(clean) { _ in well }).cleanAlarms == [])
    }

    @Test("shows from the drop counters that the schedule took effect")
    func dropped() throws {
        var said = timeline { _ in well }
        var counters = NetworkCounters()
        for (time, offered, lost) in [(0, 0, 0), (10, 1000, 0), (20, 2000, 50), (30, 3000, 50)] {
            counters.packetsOffered = UInt64(offered)
            counters.droppedByLoss = UInt64(lost)
            said.counters.append(.init(time: Double(time), party: .bob, direction: .down, counters))
        }
        #expect(Scorer.score(lossy, said).droppedPercent == 5)
    }

    @Test("takes what never came for longer than everything else")
    func medians() {
        #expect(median([]) == nil)
        #expect(median([3, 1, 2]) == 2)
        #expect(median([nil, 1, nil]) == .infinity)
    }
}
