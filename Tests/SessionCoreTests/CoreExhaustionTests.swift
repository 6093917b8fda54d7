// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire
import TestSupport
import Testing

@testable import SessionCore

@Suite("A client that asks for all it may, for minutes")
struct CoreExhaustionTests {
    /// Valid requests by someone who means no good.
    private struct Mallory {
        var random: SeededRandom
        var isRouted: Bool
        var streams: [String] = []
        var subscribers: [String] = []
        /// Names that were given to legs, the newest last.
        var legs: [String: [LegName]] = [:]
        var names = 0

        var offer: String? { isRouted ? String(repeating: "o", count: 20_000) : nil }

        mutating func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }
        mutating func name(_ client: String) -> LegName {
            names += 1
            legs[client] = (legs[client] ?? []).suffix(50) + ["l\(names)"]
            return "l\(names)"
        }
        mutating func known(_ client: String) -> LegName { pick(legs[client] ?? []) ?? "l" }

        mutating func body(_ client: String) -> ClientMessage.Body {
            let text = offer ?? String(repeating: "o", count: 20_000)
            switch Int.random(in: 0..<22, using: &random) {
            case 0, 1:
                var request = CoreScenario.publish(name(client))
                request.offer = offer
                return .publish(request)
            case 2, 3:
                return .subscribe(
                    .init(
                        leg: name(client), stream: pick(streams) ?? "s",
                        testsNetwork: names.isMultiple(of: 3),
                        offer: offer))
            case 4, 5: return .offer(.init(leg: known(client), offer: text))
            case 6, 7: return .replace(.init(leg: name(client), replaces: known(client), offer: text))
            case 8:
                return .candidate(
                    .init(leg: known(client), mid: nil, lineIndex: 0, candidate: "candidate:\(names)"))
            case 9: return .prefer(.init(leg: known(client), preference: .init(subscribeToVideo: false)))
            case 10:
                return .update(.init(leg: known(client), content: .init(hasAudio: true, hasVideo: false)))
            case 11: return .unsubscribe(.init(leg: known(client)))
            case 12: return .unpublish(.init(leg: known(client)))
            case 13: return .networkQuality(.init(remote: .detailed))
            case 14, 15:
                return .relay(
                    .init(
                        leg: name(client), publication: known(client), subscriberId: pick(subscribers) ?? "s",
                        offer: text))
            case 16: return .settled(.init(leg: known(client)))
            case 17: return .legLost(.init(leg: known(client)))
            case 18: return .saturate(.init(leg: known(client), bitrate: 6e6))
            case 19:
                return .giveUp(
                    .init(publication: known(client), subscriberId: pick(subscribers) ?? "s", message: "no"))
            default:
                let leg = known(client)
                return .telemetry(
                    .init(
                        events: (0..<32).map { _ in
                            names += 1
                            return .init(eventId: "e\(names)", capturedAt: 0, leg: leg, sample: .init())
                        }))
            }
        }
    }

    /// A router that answers a given number of offers a tick, in turn.
    private struct SlowRouter {
        static let perTick = 20
        var queue: [LegName] = []

        mutating func take(_ commands: [RouterCommand]) {
            for command in commands {
                switch command {
                case .add(let leg): queue.append(leg.leg)
                case .offer(let offer): queue.append(offer.leg)
                default: break
                }
            }
        }

        mutating func next() -> [RouterNotice] {
            let now = queue.prefix(Self.perTick)
            queue.removeFirst(now.count)
            return now.map { .answer(.init(leg: $0, answer: "a")) }
        }
    }

    private static let clients = (0..<4).map { "mallory \($0)" }

    @Test(
        "what the server remembers stays bounded, and an innocent session is served",
        arguments: MediaMode.allCases, Seed.draw(1))
    func hostile(mode: MediaMode, seed: UInt64) throws {
        var scenario = CoreScenario(timeouts: SessionServerTimeouts(), seed: seed)
        scenario.routerAnswers = false
        let session = try scenario.makeSession(mode)
        var mallory = Mallory(random: SeededRandom(seed: seed), isRouted: mode == .routed)
        var router = SlowRouter()
        for client in Self.clients { scenario.join(client, .moderator, session: session, token: "mallory") }
        for client in ["alice", "bob"] { scenario.join(client) }
        var open: Set<Int> = []
        var innocent = Innocent()
        for tick in 0..<(120 * 5) {
            for _ in 0..<10 {
                let client = Self.clients[Int.random(in: 0..<4, using: &mallory.random)]
                scenario.send(client, mallory.body(client))
            }
            for client in Self.clients { Self.read(&mallory, scenario.inbox(client)) }
            if tick.isMultiple(of: 5) { open.formUnion(innocent.act(&scenario)) }
            scenario.pass(.milliseconds(200))
            router.take(scenario.takeCommands())
            for notice in router.next() { scenario.put(.router(notice, from: .first)) }
            #expect(router.queue.count <= 2 * scenario.core.limits.routerOffers, "seed \(seed), tick \(tick)")
            let problems = innocent.read(&scenario, &open)
            #expect(problems.isEmpty, "seed \(seed), tick \(tick): \(problems)")
            if tick.isMultiple(of: 25) { Self.checkBounds(scenario.core, "seed \(seed), tick \(tick)") }
        }
        for _ in 0..<10 {
            scenario.pass(.milliseconds(200))
            router.take(scenario.takeCommands())
            for notice in router.next() { scenario.put(.router(notice, from: .first)) }
            _ = innocent.read(&scenario, &open)
        }
        #expect(open.isEmpty, "seed \(seed): not answered")
        #expect(scenario.endedRouters.isEmpty)
        for client in Self.clients + ["alice", "bob"] { scenario.disconnect(client) }
        #expect(scenario.isClean, "seed \(seed)")
    }

    private static func read(_ mallory: inout Mallory, _ messages: [ServerMessage]) {
        for message in messages {
            switch message.body {
            case .streamCreated(let stream): mallory.streams = mallory.streams.suffix(20) + [stream.id]
            case .routes(let routes):
                mallory.subscribers = mallory.subscribers.suffix(20) + routes.subscribers.map(\.subscriberId)
            default: break
            }
        }
    }

    private static func checkBounds(_ core: Lobby, _ place: String) {
        let limits = core.limits
        #expect(core.clients.count == 6 && core.unjoined.isEmpty, "\(place)")
        #expect(core.legs.count <= limits.routerLegs, "\(place)")
        let waiting = core.legs.values.reduce(0) { $0 + $1.waitingBytes }
        #expect(waiting <= 6 * limits.waitingOfferBytes, "\(place)")
        #expect(
            core.endpoints.count <= 4 * (limits.legsPerConnection + limits.streamsPerConnection), "\(place)")
        #expect(core.relays.count <= 4 * limits.legsPerConnection, "\(place)")
        #expect(core.waitingLegs.count <= core.legs.count, "\(place)")
        #expect(core.abandonedOffers.count <= limits.routerOffers, "\(place)")
        #expect(core.pendingUpdates.count <= 4 * limits.streamsPerConnection, "\(place)")
        #expect(core.saturations.count <= core.legs.count, "\(place)")
        #expect(core.watchers <= 6 && core.qualities.count <= core.endpoints.count, "\(place)")
        #expect(core.judges <= core.endpoints.count, "\(place)")
        #expect(core.analysts <= core.endpoints.count, "\(place)")
        #expect(core.routers.legs == core.legs.values.count { $0.phase != .lost }, "\(place)")
        for member in core.members.values {
            #expect(member.names.flows.count <= limits.legNamesPerConnection, "\(place)")
            #expect(member.names.namedSubscriptions.count <= member.names.flows.count, "\(place)")
            #expect(member.rates.count <= 2000, "\(place)")
        }
    }

    /// A publisher and a subscriber who do what people do.
    private struct Innocent {
        private var second = 0
        private var stream: String?
        private var isSubscribed = false
        private var publication: LegName = "cam"

        /// What the two send this second; their ids, bob's negative.
        mutating func act(_ scenario: inout CoreScenario) -> [Int] {
            second += 1
            guard second > 1 else { return [scenario.send("alice", .publish(CoreScenario.publish("cam")))] }
            var ids: [Int] = []
            if let stream, !isSubscribed {
                isSubscribed = true
                ids.append(-scenario.send("bob", .subscribe(.init(leg: "view", stream: stream, offer: "o"))))
                return ids
            }
            guard isSubscribed, second > 4 else { return [] }
            let content = StreamContent(hasAudio: second.isMultiple(of: 2), hasVideo: true)
            ids.append(scenario.send("alice", .update(.init(leg: publication, content: content))))
            let event = TelemetryEvent(
                eventId: "a\(second)", capturedAt: 0, leg: publication, sample: .init())
            ids.append(scenario.send("alice", .telemetry(.init(events: [event]))))
            ids.append(-scenario.send("bob", .networkQuality(.init(remote: .minimal))))
            ids.append(-scenario.send("bob", .prefer(.init(leg: "view", preference: .init()))))
            for (client, leg) in [("alice", publication), ("bob", "view")] as [(String, LegName)] {
                let state = LegState(leg: scenario.routerName(client, leg), state: "connected")
                scenario.put(.router(.state(state), from: .first))
            }
            if second.isMultiple(of: 10) {
                let name: LegName = "cam\(second)"
                let request = ClientMessage.Replace(leg: name, replaces: publication, offer: "o")
                ids.append(scenario.send("alice", .replace(request)))
                replacement = name
            }
            return ids
        }

        private var replacement: LegName?

        /// Takes what has arrived; gives what should not have.
        mutating func read(_ scenario: inout CoreScenario, _ open: inout Set<Int>) -> [ServerMessage] {
            var problems: [ServerMessage] = []
            for (client, sign) in [("alice", 1), ("bob", -1)] {
                for message in scenario.inbox(client) {
                    if let id = message.re { open.remove(sign * id) }
                    switch message.body {
                    case .published(let published): stream = published.stream.id
                    case .answered: publication = replacement ?? publication
                    case .error, .mediaLost, .goodbye, .streamDestroyed, .connectionDestroyed:
                        problems.append(message)
                    default: break
                    }
                }
            }
            return problems
        }
    }
}
