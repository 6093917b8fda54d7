// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import Foundation
import RouterWire
import SessionWire
import TestSupport
import Testing
import WebRTCStats

@testable import SessionCore

@Suite("Anything that clients and the router may send")
struct CoreFuzzTests {
    /// A small world of names, so that messages hit what is there as often as not.
    private struct Source {
        var random: SeededRandom
        var streams: [String] = ["nothing"]
        /// Subscribers that publishers were notified of.
        var subscribers: [String] = ["nobody"]
        var mayBeRelayed = false
        var offer: String? { mayBeRelayed ? nil : "o" }

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }

        mutating func leg() -> LegName {
            LegName(
                pick(["a", "b", "c", "d", "e", "f", "", "\u{0}"]) + pick(["", "1", "2", "3", "/1", "1/2"]))
        }
        mutating func number() -> Int { pick([0, 1, -1, 640, .max, .min]) }
        mutating func flag() -> Bool { pick([true, false]) }
        mutating func preference() -> VideoPreference {
            .init(
                subscribeToVideo: flag(),
                preferredResolution: flag() ? nil : .init(width: number(), height: number()))
        }

        mutating func body() -> ClientMessage.Body {
            switch Int.random(in: 0..<23, using: &random) {
            case 0, 1: .publish(publication())
            case 2, 3:
                .subscribe(.init(leg: leg(), stream: pick(streams), preference: preference(), offer: offer))
            case 4: .offer(.init(leg: leg(), offer: pick(["", "o"])))
            case 5, 6: .replace(.init(leg: leg(), replaces: leg(), offer: "o"))
            case 7: .candidate(.init(leg: leg(), mid: nil, lineIndex: number(), candidate: "c"))
            case 8: .prefer(.init(leg: leg(), preference: preference()))
            case 9: .update(.init(leg: leg(), content: .init(hasAudio: flag(), hasVideo: flag())))
            case 10: .unsubscribe(.init(leg: leg()))
            case 11: .unpublish(.init(leg: leg()))
            case 12: .networkQuality(.init(remote: pick([.none, .minimal, .detailed])))
            case 13, 14:
                .relay(
                    .init(leg: leg(), publication: leg(), subscriberId: pick(subscribers), offer: "o"))
            case 15, 16: .answer(.init(leg: leg(), answer: flag() ? "a" : nil))
            case 17: .settled(.init(leg: leg()))
            case 18: .legLost(.init(leg: leg()))
            case 19, 20: .giveUp(.init(publication: leg(), subscriberId: pick(subscribers), message: "no"))
            default: .telemetry(.init(events: [event()]))
            }
        }

        mutating func event() -> TelemetryEvent {
            let times = [0, 1.7e12, 1.7e12 + 5000, 8e15, 1e300, -1, .nan]
            let sample = ExtremeSample.any(&random)
            return TelemetryEvent(
                eventId: leg().rawValue, capturedAt: pick(times), leg: leg(), sample: sample)
        }

        /// Most often the next one.
        mutating func id(_ next: Int) -> Int {
            let wild = [0, -1, 1, .max, .min, SessionProtocol.numberLimit, SessionProtocol.numberLimit + 1]
            return Int.random(in: 0..<20, using: &random) == 0 ? pick(wild) : next
        }

        /// Most often none or the right one.
        mutating func number(_ next: Int?) -> Int? {
            Int.random(in: 0..<200, using: &random) == 0 ? pick([nil, 0, -1, .max, .min]) : next
        }

        mutating func publication() -> ClientMessage.Publish {
            var request = CoreScenario.publish(leg(), senderStatsTrack: flag())
            request.offer = offer
            return request
        }

        mutating func notice() -> RouterNotice {
            let leg: LegName = "leg-1-\(Int.random(in: 0..<200, using: &random))"
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: return .answer(.init(leg: leg, answer: "a"))
            case 2:
                return .failure(
                    .init(
                        leg: leg, code: pick([.closed, .internal]), message: "", endsLeg: flag(),
                        answersOffer: flag()))
            case 3: return .state(.init(leg: leg, state: pick(["connected", "failed", ""])))
            case 4: return .candidate(.init(leg: leg, mid: nil, lineIndex: nil, candidate: ""))
            default:
                let layer = LayerFigures(sending: true, width: number(), height: number())
                let policy = PolicyState(
                    wanted: layer, sent: nil, reason: .wanted, allocated: nil, maximumBitrate: nil)
                return .report(
                    .init(
                        leg: leg, kind: pick([.publisher, .subscriber]), stream: "", stats: .init(),
                        layers: [layer],
                        policy: policy))
            }
        }
    }

    /// A client as the test knows it.
    private struct Party {
        var name: String
        /// The name of its socket.
        var socket: String
        /// `nil` if it is not resumable.
        var token: String?
        var nextID = 1
        var nextNumber = 1
        /// How often each id was used, less the answers to it.
        var asked: [Int: Int] = [:]
    }

    @Test(
        "never traps, never answers another, answers each request at most once, and leaves nothing behind",
        arguments: Seed.draw(40))
    func anything(seed: UInt64) throws {
        var source = Source(random: SeededRandom(seed: seed))
        let mode = source.pick(MediaMode.allCases)
        source.mayBeRelayed = mode != .routed
        let storing = CoreStoring(names: .test(secret: "s", keepsNames: false), run: 1)
        var scenario = CoreScenario(mediaMode: mode, storing: source.flag() ? storing : nil)
        scenario.routerAnswers = source.flag()
        var parties: [Party] = []
        for name in ["alice", "bob", "carol", "mallory"] {
            var party = Party(name: name, socket: name)
            scenario.open(name)
            if name != "mallory" { Self.join(&party, &source, &scenario) }
            parties.append(party)
        }
        for round in 0..<400 {
            let index = Int.random(in: 0..<parties.count, using: &source.random)
            switch Int.random(in: 0..<40, using: &source.random) {
            case 0..<26: Self.send(source.body(), &parties[index], &source, &scenario)
            case 26: Self.send(.ack(.init(received: source.number())), &parties[index], &source, &scenario)
            case 27: Self.comeBack(&parties[index], round, &source, &scenario)
            case 28..<32: scenario.put(.router(source.notice(), from: .first))
            case 32, 33: scenario.put(source.flag() ? .routerLost(.first) : .routerReady(.first))
            case 34:
                let socket = scenario.socket(parties[index].socket)
                scenario.put(
                    .unreadable(socket, id: nil, seq: source.number(nil), ServerError(.malformed, "")))
            case 35: scenario.put(.stored(scenario.receipts))
            default: scenario.pass(.milliseconds(source.pick([200, 1000, 20_000])))
            }
            for index in parties.indices { try Self.read(&parties[index], &source, &scenario) }
            try #require(scenario.core.census == scenario.core.countedCensus)
        }
        Self.check(scenario)
        for party in parties { scenario.disconnect(party.socket) }
        scenario.pass(scenario.core.timeouts.resumption + .seconds(1))
        #expect(scenario.isClean && scenario.core.census == Census())
        #expect(scenario.live?.streams.isEmpty == true)
    }

    private static func join(_ party: inout Party, _ source: inout Source, _ scenario: inout CoreScenario) {
        let grant = TokenGrant(session: scenario.session, role: .publisher, name: party.name)
        let join = ClientMessage.Join(token: "t", resumable: source.flag())
        scenario.put(.join(scenario.socket(party.socket), id: 1, join, .success(grant)))
        party.asked[1, default: 0] += 1
        party.nextID = 2
    }

    private static func send(
        _ body: ClientMessage.Body, _ party: inout Party, _ source: inout Source,
        _ scenario: inout CoreScenario
    ) {
        var message = ClientMessage(id: source.id(party.nextID), body)
        if message.isNumbered {
            message.seq = source.number(party.token == nil ? nil : party.nextNumber)
            if message.seq == party.nextNumber { party.nextNumber += 1 }
            if Int.random(in: 0..<16, using: &source.random) == 0 { message.received = source.number() }
        }
        party.nextID += 1
        party.asked[message.id, default: 0] += 1
        scenario.put(.message(scenario.socket(party.socket), message))
    }

    /// Resumes on another socket, with what it was sent or with nonsense.
    private static func comeBack(
        _ party: inout Party, _ round: Int, _ source: inout Source, _ scenario: inout CoreScenario
    ) {
        let old = party.socket
        if source.flag() { scenario.disconnect(old) }
        party.socket = "\(party.name)-\(round)"
        scenario.open(party.socket)
        let request = ClientMessage.Resume(
            token: party.token ?? source.pick(["", "x"]), received: source.pick([0, 0, 1, -1, .max, .min]))
        party.asked[party.nextID, default: 0] += 1
        scenario.put(
            .message(scenario.socket(party.socket), ClientMessage(id: party.nextID, .resume(request))))
        party.nextID += 1
        let isBack = scenario.core.owners[scenario.socket(party.socket)] != nil
        guard !isBack else { return }
        scenario.disconnect(old)
        party.token = nil
        party.nextNumber = 1
        join(&party, &source, &scenario)
    }

    private static func read(
        _ party: inout Party, _ source: inout Source, _ scenario: inout CoreScenario
    ) throws {
        for message in scenario.inbox(party.socket) {
            switch message.body {
            case .joined(let joined): party.token = joined.resumption?.token
            case .streamCreated(let stream): source.streams.append(stream.id)
            case .routes(let routes): source.subscribers += routes.subscribers.map(\.subscriberId)
            case .facts: #expect(try message.json().count < 8192)
            default: break
            }
            // What was sent again after a resumption was asked before.
            guard let id = message.re, message.seq == nil else { continue }
            party.asked[id, default: 0] -= 1
            #expect(party.asked[id, default: 0] >= 0, "\(id) was answered too often")
        }
    }

    /// Whether what is to be stored is what may be.
    private static func check(_ scenario: CoreScenario) {
        for record in scenario.stored {
            switch record {
            case .sample(let record):
                #expect(record.mark.time <= scenario.now.unix)
                #expect(isInOrder(record.sample), "\(record.sample)")
            case .event(let event) where event.detail["observer"] != nil:
                #expect(
                    ["callQuality", "networkConditionChanged", "videoQualityChanged"].contains(event.type))
            default: break
            }
        }
    }

    /// Whether a client could have said it.
    private static func isInOrder(_ sample: StreamSample) -> Bool {
        let event = TelemetryEvent(eventId: "e", capturedAt: 1, leg: "l", sample: sample)
        let message = ClientMessage(id: 1, .telemetry(.init(events: [event])))
        return (try? message.validated()) == message
    }

    @Test(
        "whatever is in a raw report, it is judged without a trap, and what is made of it is in order",
        arguments: Seed.draw(20))
    func anyReports(seed: UInt64) throws {
        var reports = try HostileReports(random: SeededRandom(seed: seed))
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "s", keepsNames: false), run: 1))
        scenario.join("alice")
        scenario.join("bob")
        scenario.subscribe("bob", "s", scenario.publish("alice", "cam", senderStatsTrack: true))
        // Short messages take another way, on which a number beyond every number is no number.
        let filler = String(repeating: "x", count: 1024)
        let isKept = seed.isMultiple(of: 2) && scenario.keepReports(until: .infinity)
        for number in 100..<200 {
            scenario.pass(.milliseconds(1000))
            for (client, leg) in [("alice", "cam"), ("bob", "s")] {
                let event = """
                    {"eventId":"\(leg)\(number)","capturedAt":\(scenario.now.unix),"leg":"\(leg)",
                     "report":\(reports.next())}
                    """
                let json = #"{"id":\#(number),"type":"telemetry","events":[\#(event)],"filler":"\#(filler)"}"#
                scenario.put(
                    .message(scenario.socket(client), try ClientMessage(json: Array(json.utf8))))
                #expect(scenario.errors(client).allSatisfy { $0 == nil })
            }
        }
        Self.check(scenario)
        let samples = scenario.stored.filter { if case .sample = $0 { true } else { false } }
        #expect(samples.count == 200)
        #expect(scenario.stored.contains { if case .report = $0 { true } else { false } } == isKept)
    }

    @Test("bytes that are nearly a message are read or refused", arguments: Seed.draw(20))
    func mutatedBytes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let message = ClientMessage(id: 1, .publish(CoreScenario.publish("cam")))
        let original = try message.json()
        for _ in 0..<200 {
            var bytes = original
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.insert(.random(in: 0...255, using: &random), at: place)
                default: bytes.remove(at: place)
                }
            }
            do throws(ClientMessage.Unreadable) {
                _ = try? ClientMessage(json: bytes).validated()
                _ = try ClientMessage(json: bytes)
            } catch {
                #expect(error.error.code == .malformed)
            }
        }
    }
}
