// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import SessionWire
import Synchronization
import Testing
import WebRTCStats

@testable import Sightline

/// A test with its fake surroundings, on virtual time.
private struct Bench {
    let clock = VirtualClock()
    let engine = FakeEngine()
    let server = FakeServer()

    func test(_ configure: (inout NetworkTestConfiguration) -> Void = { _ in }) -> NetworkTest {
        var configuration = NetworkTestConfiguration()
        configuration.session.clock = clock.sessionClock
        configure(&configuration)
        return NetworkTest(
            url: "ws://server.test", token: "t", engine: engine, signaling: server,
            configuration: configuration)
    }

    /// Runs a test while time passes; returns all of its events.
    func run(
        _ test: NetworkTest, meanwhile: @escaping @Sendable () -> Void = {}
    ) async -> (progress: [NetworkTestProgress], report: NetworkTestReport?) {
        let seen = Journal<NetworkTestEvent>()
        let listening = Task { for await event in test.run() { seen.add(event) } }
        await clock.advance(until: "the end of the test", step: .milliseconds(200)) {
            meanwhile()
            if case .finished = seen.entries.last { return true }
            return false
        }
        listening.cancel()
        var report: NetworkTestReport?
        if case .finished(let last) = seen.entries.last { report = last }
        let progress = seen.entries.compactMap {
            if case .progress(let progress) = $0 { progress } else { nil }
        }
        return (progress, report)
    }

    /// Lets every peer connection report what a good one does, but for those that get no keys by their
    /// number; the media router has keys on its end of all of them, or of none.
    func connectAll(keys: @escaping @Sendable (Int) -> Bool = { _ in true }, routerHasKeys: Bool = true) {
        for leg in server.received.compactMap(\.openedLeg) {
            let counters = LegCounters(
                timestamp: 1, isConnected: routerHasKeys, bytesReceived: nil, packetsReceived: nil)
            server.notify(.facts(LegMetrics(leg: leg, capturedAt: 1, counters: counters)))
        }
        for peer in engine.peers {
            let hasKeys = keys(peer.number)
            peer.setStatistics { number in
                var report = Self.goodReport(Double(number) * 1000)
                if !hasKeys { report.transports[0].dtlsState = .connecting }
                return report
            }
        }
    }

    private static func goodReport(_ time: Double) -> StatsReport {
        var report = StatsReport(timestamp: time)
        var candidate = CandidateStats(id: "L", timestamp: time)
        candidate.candidateType = .host
        candidate.protocol = "udp"
        report.localCandidates = [candidate]
        var pair = CandidatePairStats(id: "P", timestamp: time)
        pair.localCandidateId = "L"
        pair.remoteCandidateId = "R"
        report.candidatePairs = [pair]
        var transport = ICETransportStats(id: "T", timestamp: time)
        transport.selectedCandidatePairId = "P"
        transport.iceState = .connected
        transport.dtlsState = .connected
        report.transports = [transport]
        report.inboundRTP = [StatsReport.MediaKind.audio, .video].map { kind in
            var stream = InboundRTPStats(id: kind.rawValue, timestamp: time)
            stream.kind = kind
            stream.packetsReceived = 1
            stream.framesReceived = 1
            return stream
        }
        return report
    }
}

extension ClientMessage.Body {
    /// The leg that it asks for.
    fileprivate var openedLeg: LegName? {
        switch self {
        case .publish(let request): request.leg
        case .subscribe(let request): request.leg
        default: nil
        }
    }
}

@Suite("Runs of a network test", .timeLimit(.minutes(1)))
struct NetworkTestRunTests {
    @Test(
        "without the quality stage, a connection that carries media is audio and video, each step with its time"
    )
    func connectOnly() async throws {
        let bench = Bench()
        let (progress, found) = await bench.run(bench.test { $0.measuresQuality = false }) {
            bench.connectAll()
        }
        let report = try #require(found)
        #expect(report.failure == nil)
        #expect(report.verdict == .audioAndVideo)
        #expect(report.steps.map(\.step) == NetworkTestStep.connectivity)
        #expect(report.steps.map(\.outcome).count { $0 == .skipped } == 1)
        #expect(report.steps.allSatisfy { $0.outcome != .failed && $0.duration >= 0 })
        #expect(report.connectivity.candidates == [.init(type: "host", transport: "udp", count: 1)])
        #expect(report.connectivity.turnNeeded == false)
        #expect(report.uplink == nil && report.confidence == nil)
        let fractions = progress.map(\.fraction)
        #expect(fractions == fractions.sorted())
        #expect(fractions.allSatisfy { (0...1).contains($0) })
    }

    @Test("counters of a leg that come with another's reach it")
    func countersBeside() async throws {
        let call = Call()
        let (subscriber, _) = try await call.subscribe()
        let leg = try #require(call.server.subscribeRequests.first).leg
        let counters = LegCounters(timestamp: 1, bytesReceived: 2, packetsReceived: 3)
        call.server.notify(.facts(LegMetrics(leg: "another", capturedAt: 0, beside: [leg: counters])))
        await eventually("they are there") {
            subscriber.subscription?.media.freshMetrics?.counters == counters
        }
        #expect(subscriber.subscription?.media.takeCounters() == [counters])
        await call.session.disconnect()
    }

    @Test("a server that is down fails the first step")
    func serverDown() async throws {
        let bench = Bench()
        bench.server.refuseSockets(SightlineError(.connectionFailed, "connection refused"))
        let report = try #require(await bench.run(bench.test()).report)
        #expect(report.verdict == .neither)
        #expect(report.failure?.step == .serverReachable)
        #expect(report.failure?.message == "connection refused")
        #expect(report.failure?.advice.isEmpty == false)
        #expect(report.steps.map(\.outcome) == [.failed])
    }

    @Test(
        "a token that is not taken fails its own step",
        arguments: [ServerError.Code.invalidToken, .expiredToken, .unknownSession])
    func badToken(code: ServerError.Code) async throws {
        let bench = Bench()
        bench.server.refuse("join", ServerError(code, "no"))
        let report = try #require(await bench.run(bench.test()).report)
        #expect(report.failure?.step == .tokenAccepted)
        #expect(report.failure?.code == code.rawValue)
        #expect(report.steps.last?.outcome == .failed)
        #expect(report.steps.dropLast().allSatisfy { $0.outcome != .failed })
    }

    @Test("a session in which someone publishes is refused, before anything is published")
    func occupied() async throws {
        let bench = Bench()
        bench.server.add(FakeServer.stream("theirs"))
        let report = try #require(await bench.run(bench.test()).report)
        #expect(report.failure?.step == .sessionFree)
        #expect(bench.engine.peers.isEmpty)
    }

    @Test("a role that may not publish fails the publishing")
    func forbidden() async throws {
        let bench = Bench()
        bench.server.refuse("publish", ServerError(.forbidden, "no"))
        let report = try #require(await bench.run(bench.test()).report)
        #expect(report.failure?.step == .publish)
        #expect(report.failure?.code == "forbidden")
    }

    @Test("a path that lets nothing through fails in bounded time, with what was found out before")
    func blocked() async throws {
        let bench = Bench()
        let (_, found) = await bench.run(bench.test()) {
            for peer in bench.engine.peers {
                peer.setStatistics { number in
                    var report = StatsReport(timestamp: Double(number))
                    report.localCandidates = [CandidateStats(id: "L", timestamp: Double(number))]
                    return report
                }
            }
        }
        let report = try #require(found)
        #expect(report.failure?.step == .udpPath)
        #expect(report.failure?.isOfTheNetwork == true)
        #expect(report.connectivity.candidates.count == 1)
        #expect(report.connectivity.turnNeeded == nil)
        #expect((8000..<14_500).contains(report.timing.duration))
    }

    @Test("connections that agree on no keys are re-created, for as long as the test may take")
    func keys() async throws {
        let bench = Bench()
        let (_, found) = await bench.run(bench.test()) { bench.connectAll { _ in false } }
        let report = try #require(found)
        #expect(report.failure?.step == .dtls)
        #expect(report.failure?.code == NetworkTestFailure.outOfTime)
        #expect(report.failure?.isOfTheNetwork == true)
        #expect(report.failure?.message == "the test had no more time for this step")
        #expect(report.failure?.advice.contains("too slowly") == true)
        let step = try #require(report.steps.last)
        #expect(step.duration >= 12_000)
        #expect(report.timing.duration <= 14_500)
        let streams = bench.server.received.count { if case .publish = $0 { true } else { false } }
        #expect((2...5).contains(streams))
    }

    @Test("a media router that does not answer while the network is tested is no error, and takes no longer")
    func unansweredSaturation() async throws {
        let bench = Bench()
        bench.server.setSilent("saturate")
        let report = try #require(await bench.run(bench.test()) { bench.connectAll() }.report)
        #expect(report.verdict == .neither)
        #expect(report.failure?.message.contains("did not answer") != true)
        #expect(report.steps.contains { $0.step == .quality })
        #expect(report.timing.duration <= 14_500)
        let requests = bench.server.received.count { if case .saturate = $0 { true } else { false } }
        #expect(requests == 2)
    }

    @Test("no media are sent before the media router has keys, too")
    func routerKeys() async throws {
        let bench = Bench()
        let (_, found) = await bench.run(bench.test { $0.measuresQuality = false }) {
            bench.connectAll(routerHasKeys: false)
        }
        let report = try #require(found)
        #expect(report.failure?.step == .dtls)
        #expect(!report.steps.contains { $0.step == .mediaReceived })
    }

    @Test("a connection without keys is re-created, and one that has them stays")
    func otherKeys() async throws {
        let bench = Bench()
        // The first subscription gets none.
        let (_, found) = await bench.run(bench.test { $0.measuresQuality = false }) {
            bench.connectAll { $0 != 2 }
        }
        let report = try #require(found)
        #expect(report.verdict == .audioAndVideo && report.failure == nil)
        let requests = bench.server.received
        #expect(requests.count { if case .publish = $0 { true } else { false } } == 1)
        #expect(requests.count { if case .subscribe = $0 { true } else { false } } == 2)
    }

    @Test("a device without an address fails for that reason")
    func noCandidates() async throws {
        let bench = Bench()
        let report = try #require(await bench.run(bench.test()).report)
        #expect(report.failure?.step == .iceCandidates)
    }

    @Test("a test that is stopped before it has measured anything says that it was cancelled")
    func stopped() async throws {
        let bench = Bench()
        let test = bench.test()
        let report = try #require(
            await bench.run(test) { if !bench.engine.peers.isEmpty { test.stop() } }.report)
        #expect(report.failure?.code == "cancelled")
        #expect(report.failure?.isOfTheNetwork == false)
        #expect(report.timing.duration < 5000)
    }

    @Test("an address that cannot be read is a failure like any other")
    func badAddress() async throws {
        let bench = Bench()
        let test = NetworkTest(
            url: "nonsense", token: "t", engine: bench.engine, signaling: bench.server,
            configuration: NetworkTestConfiguration())
        let report = try #require(await bench.run(test).report)
        #expect(report.failure?.code == "invalidURL")
    }

    @Test("a delegate hears the same")
    func delegate() async throws {
        final class Listener: NetworkTestDelegate, Sendable {
            let reports = Journal<NetworkTestReport>()
            let progress = Journal<NetworkTestProgress>()
            func networkTest(_ test: NetworkTest, didProgress progress: NetworkTestProgress) {
                self.progress.add(progress)
            }
            func networkTest(_ test: NetworkTest, didFinishWith report: NetworkTestReport) {
                reports.add(report)
            }
        }
        let bench = Bench()
        bench.server.refuseSockets(SightlineError(.connectionFailed, "connection refused"))
        let listener = Listener()
        let returned = Mutex<NetworkTestReport?>(nil)
        let running = Task {
            let report = await bench.test().run(reportingTo: listener)
            returned.withLock { $0 = report }
        }
        await bench.clock.advance(until: "the report", step: .milliseconds(20)) {
            returned.withLock { $0 } != nil
        }
        await running.value
        #expect(listener.reports.entries == [returned.withLock { $0 }])
        #expect(!listener.progress.entries.isEmpty)
    }
}
