// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import RouterProtocol
import SessionProtocol
import TestSupport
import Testing
import WebRTCStats

@testable import SessionServer

@Suite("Anything that clients and the router may send")
struct CoreFuzzTests {
    /// A small world of names, so that messages hit what is there as often as not.
    private struct Source {
        var random: SeededRandom
        var streams: [String] = ["nothing"]
        /// Subscribers that publishers were told of.
        var subscribers: [String] = ["nobody"]
        var mayBeRelayed = false
        var offer: String? { mayBeRelayed ? nil : "o" }

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }

        mutating func leg() -> String {
            pick(["a", "b", "c", "d", "e", "f", "", "\u{0}"]) + pick(["", "1", "2", "3", "/1", "1/2"])
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
            default:
                .telemetry(
                    .init(events: [
                        .init(eventId: leg(), capturedAt: Double(number()), leg: leg(), sample: .init())
                    ]))
            }
        }

        mutating func publication() -> ClientMessage.Publish {
            var request = CoreScenario.publish(leg(), senderStatsTrack: flag())
            request.offer = offer
            return request
        }

        mutating func notice() -> RouterNotice {
            let leg = "leg-\(Int.random(in: 0..<200, using: &random))"
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: return .answer(.init(leg: leg, answer: "a"))
            case 2:
                return .failure(
                    .init(leg: leg, code: pick([.closed, .internal]), message: "", endsLeg: flag()))
            case 3: return .state(.init(leg: leg, state: pick(["connected", "failed", ""])))
            case 4: return .candidate(.init(leg: leg, mid: nil, lineIndex: nil, candidate: ""))
            default:
                let layer = ReportedLayer(
                    rid: nil, width: number(), height: number(), bitrate: nil, frameRate: nil, isPresent: true
                )
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

    @Test(
        "never traps, never answers another, answers each request at most once, and leaves nothing behind",
        arguments: Seed.draw(40))
    func anything(seed: UInt64) {
        var source = Source(random: SeededRandom(seed: seed))
        let mode = source.pick(MediaMode.allCases)
        source.mayBeRelayed = mode != .routed
        var scenario = CoreScenario(mediaMode: mode)
        scenario.routerAnswers = source.flag()
        let clients = ["alice", "bob", "carol"]
        for client in clients { scenario.join(client) }
        var asked: [String: Set<Int>] = [:]
        for _ in 0..<400 {
            let client = source.pick(clients)
            switch Int.random(in: 0..<20, using: &source.random) {
            case 0..<13: asked[client, default: []].insert(scenario.send(client, source.body()))
            case 13..<16: scenario.put(.router(source.notice()))
            case 16: scenario.put(source.flag() ? .routerLost : .routerReady)
            case 17: scenario.put(.unreadable(scenario.socket(client), id: nil, ServerError(.malformed, "")))
            default: scenario.pass(.milliseconds(source.pick([200, 1000, 20_000])))
            }
            for client in clients {
                for message in scenario.inbox(client) {
                    if let id = message.re { #expect(asked[client]?.remove(id) != nil) }
                    if case .streamCreated(let stream) = message.body { source.streams.append(stream.id) }
                    guard case .routes(let routes) = message.body else { continue }
                    source.subscribers += routes.subscribers.map(\.subscriberId)
                }
            }
        }
        for client in clients { scenario.disconnect(client) }
        #expect(scenario.isClean)
        #expect(scenario.core.sessions[scenario.session]?.streams.isEmpty == true)
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
                try? ClientMessage(json: bytes).validate()
                _ = try ClientMessage(json: bytes)
            } catch {
                #expect(error.error.code == .malformed)
            }
        }
    }
}
