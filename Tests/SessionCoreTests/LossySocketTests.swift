// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import TestSupport
import Testing

@testable import SessionCore

@Suite("Sockets that are lost at any time")
struct LossySocketTests {
    /// Both ends of a session whose socket loses what is on its way whenever it breaks.
    private struct Wire {
        var scenario = CoreScenario()
        var alice = ResumableClient("alice")
        var random: SeededRandom
        /// On their way.
        var up: [ClientMessage] = []
        var down: [ServerMessage] = []
        var isUp = true
        /// Sockets whose end the server has not noticed.
        var dead: [String] = []
        /// What alice was sent, once each: names of bob's stream, and answers.
        var notified: [String] = []
        var answered: [Int] = []
        var asked: [Int] = []
        var shown = (alice: 0, bob: 0)

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            _ = scenario.join(&alice)
            scenario.join("bob")
            scenario.publish("bob", "cam")
            ask(.publish(CoreScenario.publish("cam")))
        }

        mutating func step() {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<3:
                let (publish, unpublish) = show("a", &shown.alice)
                ask(publish)
                ask(unpublish)
            case 3..<6:
                let (publish, unpublish) = show("b", &shown.bob)
                scenario.send("bob", publish)
                scenario.send("bob", unpublish)
            case 6..<10: deliverUp()
            case 10..<14: deliverDown()
            case 14: breakDown()
            case 15..<17: if !isUp { comeBack() }
            case 17: noticeDeath()
            default: scenario.pass(.milliseconds(200))
            }
            collect()
        }

        /// Lets everything arrive.
        mutating func settle() {
            if !isUp { comeBack() }
            collect()
            while !up.isEmpty || !down.isEmpty {
                deliverUp()
                collect()
                deliverDown()
            }
        }

        /// A stream of a moment.
        private func show(_ who: String, _ count: inout Int) -> (ClientMessage.Body, ClientMessage.Body) {
            count += 1
            var request = CoreScenario.publish("\(who)\(count)")
            request.content.name = request.leg.rawValue
            return (.publish(request), .unpublish(.init(leg: request.leg)))
        }

        /// The name of a stream of someone's.
        static func name(_ body: ServerMessage.Body, _ who: String) -> String? {
            guard case .streamCreated(let stream) = body, let name = stream.content.name else { return nil }
            return name.hasPrefix(who) ? name : nil
        }

        private mutating func ask(_ body: ClientMessage.Body) {
            guard let message = alice.make(body) else { return }
            asked.append(message.id)
            if isUp { up.append(message) }
        }

        private mutating func collect() {
            let messages = scenario.inbox(alice.socket)
            if isUp { down += messages }
        }

        private mutating func deliverUp() {
            guard isUp, !up.isEmpty else { return }
            scenario.put(.message(scenario.socket(alice.socket), up.removeFirst()))
        }

        private mutating func deliverDown() {
            guard isUp, !down.isEmpty else { return }
            for message in alice.take([down.removeFirst()]) { take(message) }
        }

        private mutating func take(_ message: ServerMessage) {
            if let received = message.received { #expect(alice.ledger.confirm(received) == true) }
            switch message.body {
            case .ack(let acknowledgement): #expect(alice.ledger.confirm(acknowledgement.received) == true)
            case .streamCreated: if let name = Self.name(message.body, "b") { notified.append(name) }
            case .resumed(let received):
                guard let missing = alice.ledger.resume(after: received.received) else {
                    Issue.record("the server has not got what it has confirmed")
                    return
                }
                up = missing + up
            default: if let id = message.re { answered.append(id) }
            }
            if Bool.random(using: &random) { up.append(ClientMessage(id: 0, .ack(alice.ledger.report()))) }
        }

        private mutating func breakDown() {
            guard isUp else { return }
            isUp = false
            up = []
            down = []
            dead.append(alice.socket)
        }

        /// The server may hear of the end of a socket long after.
        private mutating func noticeDeath() {
            guard !dead.isEmpty else { return }
            scenario.disconnect(dead.removeFirst())
        }

        private mutating func comeBack() {
            isUp = true
            down = scenario.resume(&alice)
            // Until the server has answered nothing but the request goes up.
            while let first = down.first, !isUp || up.isEmpty, case .resumed = first.body { deliverDown() }
        }
    }

    @Test(
        "Both sides get every message once and in order, whenever sockets break",
        arguments: Seed.draw(40))
    func exactlyOnce(seed: UInt64) {
        var wire = Wire(seed: seed)
        for _ in 0..<600 { wire.step() }
        wire.settle()
        #expect(wire.notified == (1...max(1, wire.shown.bob)).map { "b\($0)" }, "seed \(seed)")
        #expect(wire.answered == wire.asked, "seed \(seed)")
        let seen = wire.scenario.bodies("bob").compactMap { Wire.name($0, "a") }
        #expect(seen == (1...max(1, wire.shown.alice)).map { "a\($0)" }, "seed \(seed)")
        #expect(wire.alice.ledger.lastSent >= wire.shown.alice)
    }
}
