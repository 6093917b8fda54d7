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

/// The same, with loss that may be named or not from 40 s until a second, and with clear loss again.
private func fadingCall(
    until last: Int, again: Range<Int> = 60..<60, _ said: (Int) -> Diagnosis?
) -> AccessCall {
    var call = lossyCall(said)
    call.lines = accessLines(60) {
        switch $0.second {
        case 21..<39, again: $0.udp.lost = 20
        case 39..<last: $0.udp.lost = 2
        default: break
        }
    }
    return call
}

private func score(_ call: AccessCall, _ end: AccessCall.End = .subscriber) -> AccessScore {
    AccessScorer(call, AccessTruth(call.lines), end: end).score
}

private let well = Diagnosis(cause: .none, side: NetworkDegradationSource.none)
private let loss = Diagnosis(cause: .packetLoss, direction: .downlink, side: .local)

@Suite("The times in the score of calls over access lines")
struct AccessScorerTimeTests {
    @Test("to clear are counted from the first second that does not allow what was named any more")
    func allowed() {
        let result = score(fadingCall(until: 50) { (20..<53).contains($0) ? loss : well })
        #expect(result.clears == [3.5] && result.unseenClears == 0)
        #expect(result.mistakes == [.init(truth: "none", said: "packetLoss"): 3])
    }

    @Test("to clear are none if it was cleared while it was still allowed")
    func early() {
        #expect(score(fadingCall(until: 50) { (20..<45).contains($0) ? loss : well }).clears == [0])
    }

    @Test("to clear begin at once if what was named last was never right")
    func wrongCause() {
        let jitter = Diagnosis(cause: .jitter, direction: .downlink, side: .local)
        let result = score(
            fadingCall(until: 50) {
                (20..<30).contains($0) ? loss : (30..<47).contains($0) ? jitter : well
            })
        #expect(result.clears == [7.5])
    }

    @Test("to clear are unseen where the named cause is allowed until the call ends or the fault recurs")
    func unseen() {
        let toTheEnd = score(fadingCall(until: 60) { $0 < 20 ? well : loss })
        #expect(toTheEnd.clears.isEmpty && toTheEnd.unseenClears == 1)
        #expect(toTheEnd.detections == [0.5])
        let again = score(fadingCall(until: 52, again: 52..<60) { $0 < 20 ? well : loss })
        #expect(again.detections == [0.5, 0.5])
        #expect(again.clears.isEmpty && again.unseenClears == 2)
    }

    @Test("to clear are unseen, not never, where the fault recurs too soon", arguments: [47, 48])
    func shortRest(_ next: Int) {
        // The window of three seconds makes it begin a second before.
        let result = score(fadingCall(until: 39, again: next + 1..<60) { $0 < 20 ? well : loss })
        let never: [Double?] = next - 40 >= AccessScorer.clearing ? [nil] : []
        #expect(result.clears == never)
        #expect(result.unseenClears == 2 - never.count)
    }

    @Test("are on the page with the faults that they are of")
    func page() {
        let unseen = fadingCall(until: 60) { $0 < 24 ? well : loss }
        let text = AccessPage(AccessResults([unseen])).text
        #expect(text.contains("| 95th percentile of the time to detect (faults; never found) | ≤ 6 s |"))
        #expect(text.contains("| ≤ 6 s | – | 4.5 s (1; 0) | 4.5 s (1; 0) |  |"))
        #expect(text.contains("(detected faults; of which never; of which unseen) | ≤ 8 s | – | – (1; 0; 1)"))
        #expect(text.contains("| 0.0 % | 4.5 s, 4.5 s (1; 0) |"))
        let missed = AccessPage(AccessResults([lossyCall { _ in well }])).text
        #expect(missed.contains("| ≤ 6 s | – | never (1; 1) | never (1; 1) |  |"))
    }

    @Test("are those that a share of the faults does not exceed")
    func percentiles() {
        let times = (1...20).map { Double?(Double($0)) }
        #expect(percentile([], 95) == nil)
        #expect(percentile([4], 95) == 4)
        #expect(percentile(times, 95) == 19)
        #expect(percentile(Array(times.dropLast()) + [nil], 95) == 19)
        #expect(percentile(Array(times.dropLast(2)) + [nil, nil], 95) == .infinity)
        #expect(percentile(times, 50) == 10)
    }
}

@Suite("Settled seconds of calls over access lines")
struct SettledAccessSecondTests {
    @Test("of a publisher are those after the direction has been the same for long enough")
    func direction() {
        var call = lossyCall { _ in nil }
        call.lines = accessLines(60, .publisher, .uplink) {
            if (20..<30).contains($0.second) { $0.gap = 1_500 }
        }
        for index in call.lines.indices {
            let second = call.lines[index]
            guard second.end == .publisher, second.direction == .downlink else { continue }
            if (30..<40).contains(second.line.second) { call.lines[index].line.gap = 1_500 }
        }
        let silence = Diagnosis(cause: .connection, direction: .uplink)
        call.said = (0..<60).map { second in
            let diagnosis = (20..<40).contains(second) ? silence : Diagnosis(cause: .none)
            return AccessCall.Said(.publisher, time: Double(second) + 0.5, diagnosis)
        }
        let figures = score(call, .publisher).product
        #expect(figures.settledFaultCause == .init(seconds: 12, right: 12))
        #expect(figures.settledFaultSide == .init(seconds: 12, right: 6))
        #expect(figures.faultSide == .init(seconds: 20, right: 10))
    }

    @Test("have goals of their own on the page, beside those of the seconds in which something is wrong")
    func page() {
        let text = AccessPage(AccessResults([lossyCall { (24..<44).contains($0) ? loss : well }])).text
        for figure in ["cause", "side"] {
            #expect(text.contains("| \(figure) right in settled seconds | ≥ 95 % |"))
            #expect(text.contains("| \(figure) right while something is wrong | ≥ 95 % |"))
        }
        #expect(text.contains("| cause right in settled seconds while something is wrong |  | – | 100.0 % |"))
    }
}

@Suite("Lines that are imperfect but fine")
struct FineLineTests {
    @Test("have a table of their own on the page, and take no part in the totals")
    func page() {
        let rows = [lossyCall { (20..<40).contains($0) ? loss : well }]
        #expect(!AccessPage(AccessResults(rows)).text.contains("Imperfect but fine"))
        var fine = lossyCall { $0 == 30 ? loss : well }
        fine.setup.profile = AccessProfile.fineLoss.name
        fine.lines = accessLines(60) { _ in }
        let text = AccessPage(AccessResults(rows + [fine])).text
        // Nothing was said to the publisher, which is wrong in each second.
        let cells = "| 1 | 0.0 | 49.0 % | 0.0 (0 in 48 s) | 75.0 (1 in 48 s) | 75.0 (1 in 48 s) | 0 | – |"
        #expect(text.contains("| fineLoss \(cells)") && text.contains("| all \(cells)"))
        #expect(!text.contains("fineDelay"))
        #expect(text.contains("nothing is wrong | ≤ 1 | 0.0 (0 in 48 s) | 0.0 (0 in 28 s) |"))
    }

    @Test("are well to the truth with what they do in most seconds")
    func truth() {
        let lines = accessLines(10) {
            $0.delay.mean = 60
            $0.spread = 8
            $0.tcp.deliveredBytes = 160_000
            $0.capacity = 10_000
        }
        let truth = AccessTruth(lines, demand: .init(uplink: 800, downlink: 800))
        #expect((0..<10).allSatisfy { truth.answer($0, to: .subscriber).isWell })
    }
}

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

    @Test("counts apart what begins to be named where it may be")
    func borderlineAlarms() {
        let said = Set(20..<40).union(45..<47)
        let result = score(fadingCall(until: 50) { said.contains($0) ? loss : well })
        #expect(result.falseAlarms == 0 && result.borderlineAlarms == 1)
        #expect(result.mistakes.isEmpty)
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
        #expect(result.product.settledSide == .init(seconds: 40, right: 24))
        #expect(result.product.settledFaultSide == .init(seconds: 16, right: 0))
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

    @Test("stands on the page with how many calls ran at a time, if it was more than one")
    func jobs() {
        var call = lossyCall { _ in well }
        let alone = AccessPage(AccessResults([call])).text
        #expect(alone.contains("- 1 calls of 60 s, one at a time; the first"))
        call.circumstances.jobs = 2
        let both = AccessPage(AccessResults([call, lossyCall { _ in well }])).text
        #expect(both.contains("- 2 calls of 60 s, up to 2 at a time; the first"))
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
