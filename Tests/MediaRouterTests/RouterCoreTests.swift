// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaPolicy
import RouterWire
import Synchronization
import Testing
import WebRTCStats

@testable import MediaRouter

/// A core on a fake engine and virtual time.
final class CoreBench {
    let engine = FakeEngine()
    var notices: [RouterNotice] = []
    private var core: RouterCore
    private let posted = Inputs()
    private var now: Duration = .zero

    private final class Inputs: Sendable {
        let waiting = Mutex<[RouterCore.Input]>([])
    }

    init(limits: RouterCore.Limits = .init()) {
        let posted = posted
        core = RouterCore(engine: engine, limits: limits) { input in
            posted.waiting.withLock { $0.append(input) }
        }
    }

    func handle(_ input: RouterCore.Input) {
        notices += core.handle(input, at: now)
        deliver()
    }

    func command(_ command: RouterCommand) { handle(.command(command)) }

    /// What the engine has completed meanwhile.
    func deliver() {
        while true {
            let inputs = posted.waiting.withLock { inputs in
                defer { inputs = [] }
                return inputs
            }
            guard !inputs.isEmpty else { return }
            for input in inputs { notices += core.handle(input, at: now) }
        }
    }

    func run(for duration: Duration) {
        for _ in 0..<Int(duration / .milliseconds(100)) {
            now += .milliseconds(100)
            handle(.tick)
        }
    }

    func add(_ leg: LegName, _ kind: StreamRole = .publisher, stream: String = "s", offer: String = "offer") {
        command(.add(AddLeg(leg: leg, kind: kind, stream: stream, offer: offer)))
    }

    func takeNotices() -> [RouterNotice] {
        defer { notices = [] }
        return notices
    }
}

@Suite("The router's core")
struct RouterCoreTests {
    private func failure(_ notice: RouterNotice?) -> LegFailure.Code? {
        if case .failure(let failure) = notice { failure.code } else { nil }
    }

    private func error(_ status: Int) -> RouterEngineError {
        var error = sl_error()
        error.status = sl_status(status)
        return RouterEngineError(error)
    }

    @Test("an offer is answered, and candidates pass in both directions")
    func negotiation() {
        let bench = CoreBench()
        bench.add("p")
        #expect(bench.takeNotices().isEmpty)
        bench.command(.candidate(LegCandidate(leg: "p", mid: "0", lineIndex: 0, candidate: "c1")))
        bench.engine.answerAll(.success("answer"))
        bench.deliver()
        #expect(bench.takeNotices() == [.answer(LegAnswer(leg: "p", answer: "answer"))])
        bench.handle(.engine(.candidate(LegNumber(rawValue: 1), mid: "0", lineIndex: 0, candidate: "c2")))
        bench.handle(.engine(.connectionState(LegNumber(rawValue: 1), .connected)))
        #expect(
            bench.takeNotices() == [
                .candidate(LegCandidate(leg: "p", mid: "0", lineIndex: 0, candidate: "c2")),
                .state(LegState(leg: "p", state: "connected")),
            ])
        #expect(bench.engine.calls == ["add publisher offer", "candidate c1"])
    }

    @Test("a first offer that is refused leaves no leg, a later one leaves the leg as it was")
    func refusedOffers() {
        let bench = CoreBench()
        bench.add("p")
        bench.engine.answerAll(.failure(error(SL_UNSUPPORTED)))
        bench.deliver()
        #expect(
            bench.takeNotices() == [
                .failure(
                    LegFailure(leg: "p", code: .unsupported, message: "", endsLeg: true, answersOffer: true))
            ])
        bench.add("p")
        bench.engine.answerAll(.success("answer"))
        bench.command(.offer(LegOffer(leg: "p", offer: "second")))
        bench.engine.answerAll(.failure(error(SL_SYNTAX)))
        bench.deliver()
        #expect(
            bench.takeNotices().last
                == .failure(
                    LegFailure(leg: "p", code: .malformed, message: "", endsLeg: false, answersOffer: true)))
        bench.command(.offer(LegOffer(leg: "p", offer: "third")))
        #expect(bench.engine.calls.last == "answer third")
    }

    @Test("a leg that the engine cannot negotiate any more ends")
    func brokenLeg() {
        let bench = CoreBench()
        bench.add("p")
        bench.engine.answerAll(.success("answer"))
        bench.command(.offer(LegOffer(leg: "p", offer: "second")))
        bench.engine.answerAll(.failure(error(SL_CLOSED)))
        bench.deliver()
        #expect(
            bench.takeNotices().last
                == .failure(
                    LegFailure(leg: "p", code: .closed, message: "", endsLeg: true, answersOffer: true)))
        #expect(bench.engine.calls.last == "remove")
        bench.add("p")
        #expect(bench.engine.calls.last == "add publisher offer")
    }

    @Test("a candidate that is refused is no answer to the offer that is being worked on")
    func refusedCandidate() {
        let bench = CoreBench()
        bench.add("p")
        bench.engine.answerAll(.success("answer"))
        bench.deliver()
        _ = bench.takeNotices()
        bench.command(.offer(LegOffer(leg: "p", offer: "second")))
        bench.handle(.candidateRefused(LegNumber(rawValue: 1), error(SL_SYNTAX)))
        #expect(
            bench.takeNotices() == [
                .failure(LegFailure(leg: "p", code: .malformed, message: "", endsLeg: false))
            ])
    }

    @Test("unknown and repeated names are answered with an error, and nothing else happens")
    func wrongNames() {
        let bench = CoreBench(limits: .init(legs: 2, nameBytes: 8))
        bench.command(.offer(LegOffer(leg: "x", offer: "")))
        bench.command(.candidate(LegCandidate(leg: "x", mid: nil, lineIndex: nil, candidate: "")))
        bench.command(.prefer(LegPreference(leg: "x", preference: .init())))
        #expect(bench.takeNotices().map(failure) == [.unknownLeg, .unknownLeg, .unknownLeg])
        bench.handle(.unreadable("no JSON"))
        #expect(bench.takeNotices().map(failure) == [.malformed])
        bench.command(.remove(LegRemoval(leg: "x")))
        #expect(bench.takeNotices().isEmpty)
        bench.add("s1", .subscriber)
        bench.add("", stream: "s")
        bench.add("p", stream: "too long a name")
        #expect(bench.takeNotices().map(failure) == [.unknownStream, .malformed, .malformed])
        bench.add("p")
        bench.add("p")
        bench.add("s1", .subscriber)
        bench.add("s2", .subscriber)
        #expect(bench.takeNotices().map(failure) == [.duplicateLeg, .tooMany])
        #expect(bench.engine.calls == ["add publisher offer", "add subscriber offer"])
    }

    @Test("a stream that has all the legs it may have takes no more, and another one does")
    func fullStream() {
        let bench = CoreBench(limits: .init(legsPerStream: 2))
        bench.add("p")
        bench.add("s1", .subscriber)
        bench.add("s2", .subscriber)
        bench.add("p2", stream: "other")
        #expect(bench.takeNotices().map(failure) == [.tooMany])
        bench.command(.remove(LegRemoval(leg: "s1")))
        bench.add("s2", .subscriber)
        #expect(bench.takeNotices().isEmpty)
    }

    @Test("a leg that is removed is heard of no more, and its name is free again")
    func removal() {
        let bench = CoreBench()
        bench.add("p")
        bench.command(.remove(LegRemoval(leg: "p")))
        bench.command(.remove(LegRemoval(leg: "p")))
        bench.engine.answerAll(.success("too late"))
        bench.handle(.engine(.connectionState(LegNumber(rawValue: 1), .closed)))
        bench.run(for: .seconds(3))
        #expect(bench.takeNotices().isEmpty)
        #expect(bench.engine.calls == ["add publisher offer", "remove"])
        bench.add("p")
        bench.engine.answerAll(.success("answer"))
        bench.deliver()
        #expect(bench.takeNotices() == [.answer(LegAnswer(leg: "p", answer: "answer"))])
    }

    @Test("each leg is reported once a second after its answer")
    func reports() {
        let bench = CoreBench()
        bench.add("p")
        bench.add("s1", .subscriber)
        bench.run(for: .seconds(2))
        #expect(!bench.engine.calls.contains("statistics"))
        bench.engine.answerAll(.success("answer"))
        bench.deliver()
        _ = bench.takeNotices()
        let timing = PathTiming(capacityBound: 2_000_000, sustainedDelay: 0.01)
        bench.engine.state.withLock { state in
            for number in 1...3 { state.timings[LegNumber(rawValue: UInt64(number))] = timing }
        }
        for _ in 0..<50 {
            bench.run(for: .milliseconds(100))
            bench.engine.reportAll()
            bench.deliver()
        }
        let reports = bench.takeNotices().compactMap { notice in
            if case .report(let report) = notice { report } else { nil }
        }
        #expect(reports.allSatisfy { $0.pathTiming == timing })
        #expect(reports.filter { $0.leg == "p" }.count == 5)
        #expect(reports.filter { $0.leg == "s1" }.count == 5)
    }

    @Test("the first report of a leg comes half a second after its answer")
    func firstReport() {
        let bench = CoreBench()
        bench.add("p")
        bench.engine.answerAll(.success("answer"))
        bench.deliver()
        bench.run(for: .milliseconds(400))
        #expect(!bench.engine.calls.contains("statistics"))
        bench.run(for: .milliseconds(100))
        #expect(bench.engine.calls.contains("statistics"))
    }

    @Test("an engine that does not report is not asked again meanwhile")
    func slowReports() {
        let bench = CoreBench()
        bench.add("p")
        bench.engine.answerAll(.success("answer"))
        bench.deliver()
        bench.run(for: .seconds(10))
        #expect(bench.engine.calls.filter { $0 == "statistics" }.count == 1)
    }

    @Test("the policy drives the engine, and the report says what is sent and why")
    func policy() throws {
        let bench = CoreBench()
        bench.add("p")
        bench.add("s1", .subscriber)
        bench.engine.answerAll(.success("answer"))
        bench.deliver()
        var frames: UInt64 = 0
        func send(allocated: Double, seconds: Int) {
            for _ in 0..<(seconds * 10) {
                frames += 3
                bench.engine.state.withLock { state in
                    state.layers = [(1, 180, 150_000), (2, 360, 500_000)].map { id, height, bitrate in
                        LayerCounters(
                            id: LayerID(rawValue: UInt64(id)), rid: "r\(id)", width: height * 16 / 9,
                            height: height,
                            frames: frames, bytes: frames * UInt64(bitrate) / 8 / 30,
                            sinceLastFrame: .milliseconds(10))
                    }
                    if let leg = state.lastSubscriber { state.forwarding[leg]?.allocated = allocated }
                }
                bench.run(for: .milliseconds(100))
                bench.engine.reportAll()
                bench.deliver()
            }
        }
        send(allocated: 2_000_000, seconds: 4)
        send(allocated: 200_000, seconds: 4)
        let selections = bench.engine.calls.filter { $0.hasPrefix("select") }
        #expect(selections.suffix(2) == ["select 2", "select 1 stop first"])
        let report = try #require(
            bench.takeNotices().compactMap { notice in
                if case .report(let report) = notice { report.policy } else { nil }
            }.last)
        #expect(report.reason == .bandwidth)
        #expect(report.sent?.rid == "r1")
        #expect(report.wanted?.rid == "r2")
        #expect(report.allocated == 200_000)
        bench.engine.state.withLock { state in
            if let leg = state.lastSubscriber { state.forwarding[leg]?.hasVideo = false }
        }
        bench.run(for: .milliseconds(100))
        #expect(bench.engine.calls.last == "select 0 stop first")
        bench.engine.state.withLock { state in
            if let leg = state.lastSubscriber { state.forwarding[leg]?.hasVideo = true }
        }
        bench.run(for: .milliseconds(100))
        #expect(bench.engine.calls.last == "select 1")
        bench.command(.prefer(LegPreference(leg: "s1", preference: .init(isVideoOn: false))))
        #expect(bench.engine.calls.last == "select 0 stop first")
    }
}
