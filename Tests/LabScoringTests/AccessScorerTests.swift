// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LabScoring
import LineEmulation
import Testing

/// 60 s with loss on the subscriber's downlink from 20 to 39 s, and what is said at the middle of each second.
private func lossyCall(_ said: (Int) -> Diagnosis?) -> AccessCall {
    let setup = AccessCall.Setup(profile: "test", impaired: .subscriber, seconds: 60, seed: 1)
    // The window of three seconds makes it 20 to 39.
    let lines = accessLines(60) { if (21..<39).contains($0.second) { $0.udp.lost = 20 } }
    let diagnoses = (0..<60).compactMap { second in
        said(second).map { AccessCall.Said(.subscriber, time: Double(second) + 0.5, $0) }
    }
    return AccessCall(
        setup: setup, circumstances: .init(commit: "c", build: "debug", began: 0), lines: lines,
        said: diagnoses)
}

private func score(_ call: AccessCall, _ end: AccessCall.End = .subscriber) -> AccessScore {
    AccessScorer(call, AccessTruth(call.lines), end: end).score
}

private let well = Diagnosis(cause: .none, side: NetworkDegradationSource.none)
private let loss = Diagnosis(cause: .packetLoss, direction: .downlink, side: .local)

@Suite("The score of calls over access lines")
struct AccessScorerTests {
    @Test("is full for an observer that is right at once")
    func right() {
        let result = score(lossyCall { (20..<40).contains($0) ? loss : well })
        #expect(result.product.cause == .init(seconds: 48, right: 48))
        #expect(result.product.side == .init(seconds: 48, right: 48))
        #expect(result.product.faultCause == .init(seconds: 20, right: 20))
        #expect(result.detections == [0.5])
        #expect(result.clears == [0.5])
        #expect(result.falseAlarms == 0 && result.wellSeconds == 28)
        #expect(result.mistakes.isEmpty && result.unknown.right == 0)
    }

    @Test("counts the time to notice as wrong, and with the older grace not")
    func late() {
        let result = score(lossyCall { (24..<44).contains($0) ? loss : well })
        #expect(result.product.cause.right == 40)
        #expect(result.product.faultCause.right == 16)
        #expect(result.product.settledCause.right == result.product.settledCause.seconds)
        #expect(result.product.settledCause.seconds == 40)
        #expect(
            result.mistakes == [
                .init(truth: "packetLoss", said: "none"): 4, .init(truth: "none", said: "packetLoss"): 4,
            ])
        #expect(result.detections == [4.5])
        #expect(result.clears == [4.5])
    }

    @Test("of an observer that always finds all well stands beside it")
    func silent() {
        let result = score(lossyCall { _ in well })
        #expect(result.product == result.silent)
        #expect(result.silent.cause == .init(seconds: 48, right: 28))
        #expect(result.silent.faultCause == .init(seconds: 20, right: 0))
        #expect(result.detections == [nil] && result.clears.isEmpty)
    }

    @Test("counts seconds without a judgement as wrong")
    func unknown() {
        let result = score(lossyCall { $0 < 30 ? well : nil })
        #expect(result.unknown.right == 29)
        #expect(result.product.cause.right == 8)
    }

    @Test("takes recovering for none after a fault, and for wrong without one")
    func recovering() {
        let recovering = Diagnosis(cause: .recovering)
        let result = score(lossyCall { $0 < 20 ? recovering : $0 < 40 ? loss : recovering })
        #expect(result.recoveringRight == 20)
        #expect(result.mistakes == [.init(truth: "none", said: "recovering"): 8])
    }

    @Test("counts each beginning of something that is not there")
    func falseAlarms() {
        let result = score(lossyCall { [14, 15, 17, 50].contains($0) ? loss : well })
        #expect(result.falseAlarms == 3)
    }

    @Test("asks a publisher about the own line alone")
    func publisher() {
        var call = lossyCall { _ in well }
        call.said = (0..<60).map { .init(.publisher, time: Double($0), Diagnosis(cause: .none)) }
        let result = score(call, .publisher)
        #expect(result.product.cause == .init(seconds: 48, right: 48))
        #expect(result.product.side == .init(seconds: 48, right: 48))
        #expect(result.product.faultCause.seconds == 0)
    }

    @Test("names the wrong side of a right cause")
    func wrongSide() {
        let remote = Diagnosis(cause: .packetLoss, direction: .uplink, side: .remote)
        let result = score(lossyCall { (20..<40).contains($0) ? remote : well })
        #expect(result.product.faultCause.right == 20 && result.product.faultSide.right == 0)
        #expect(result.sideMistakes == [.init(truth: "local", said: "remote"): 20])
    }

    @Test("is none for a call in which the emulator was late, whatever was said")
    func lateEmulator() {
        var call = lossyCall { _ in well }
        call.circumstances.punctuality.packets = 1_000
        call.circumstances.punctuality.late = 11
        #expect(AccessResults([call]).rejected.count == 1)
        call.circumstances.punctuality.late = 10
        let results = AccessResults([call])
        #expect(results.rows.count == 1 && results.rejected.isEmpty)
        #expect(AccessPage(results).text.contains("| packetLoss | none | 20 |"))
    }

    @Test("of a bystander stands beside the others, on the page too")
    func bystander() {
        var call = lossyCall { (20..<40).contains($0) ? loss : well }
        call.setup.kind.setting = .twoSubscribers
        call.said += (0..<60).map { .init(.bystander, time: Double($0) + 0.5, $0 == 30 ? loss : well) }
        let results = AccessResults([call])
        #expect(results.rows[0][.bystander].product.cause == .init(seconds: 48, right: 47))
        #expect(results.rows[0][.bystander].falseAlarms == 1 && results.rows[0][.subscriber].falseAlarms == 0)
        let page = AccessPage(results).text
        #expect(page.contains("| test, subscriber's | native, twoSubscribers | bystander | 97.9 % |"))
        #expect(page.contains("| | goal | publisher | subscriber | bystander | all | silent |"))
        #expect(page.contains("## Wrong seconds at the bystander"))
    }

    @Test("keeps a diagnosis until the next report is due")
    func slowReports() {
        var call = lossyCall { $0 % 5 == 0 ? ((20..<40).contains($0) ? loss : well) : nil }
        // Nine reports count, each in two of five seconds.
        #expect(score(call).unknown.right == 30)
        call.setup.kind.interval = 5
        #expect(score(call).unknown.right == 0)
        #expect(score(call).product.cause == .init(seconds: 48, right: 48))
    }

    @Test("knows what a call needs by the call over fibre of the same client and setting")
    func demand() {
        var fibre = lossyCall { _ in well }
        fibre.setup.profile = "fibre"
        fibre.lines = accessLines(60) { _ in }
        var narrow = fibre
        narrow.setup.profile = "narrow"
        narrow.lines = accessLines(60) { $0.capacity = 700 }
        let results = AccessResults([narrow, fibre])
        #expect(results.demands == [.init(): .init(uplink: 800, downlink: 800)])
        #expect(results.rows.map(\.isClean) == [false, true])
        #expect(results.rows[0][.subscriber].product.faultCause.seconds == 48)
        #expect(results.rows[0].sent == 1)
        narrow.setup.kind.setting = .large
        #expect(AccessResults([narrow, fibre]).rows.map(\.isClean) == [true, true])
        // Who watches, and how often it is reported, changes nothing about what is sent.
        narrow.setup.kind = .init(setting: .twoSubscribers, interval: 5)
        #expect(AccessResults([narrow, fibre]).rows.map(\.isClean) == [false, true])
    }
}
