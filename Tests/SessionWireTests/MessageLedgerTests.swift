// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire
import Testing

@Suite("The ledger of a side's messages")
struct MessageLedgerTests {
    private static func filled(_ count: Int, limit: Int = 100) -> MessageLedger<Int> {
        var ledger = MessageLedger<Int>(limit: limit)
        for _ in 0..<count { _ = ledger.send { $0 } }
        return ledger
    }

    @Test("Messages are numbered from one, and kept until they are confirmed")
    func confirms() {
        var ledger = Self.filled(5)
        #expect(ledger.lastSent == 5)
        #expect(ledger.confirm(3) == true)
        #expect(ledger.unconfirmed == 2)
        #expect(ledger.resume(after: 3) == [4, 5])
    }

    @Test("An old acknowledgement changes nothing")
    func staleConfirmation() {
        var ledger = Self.filled(5)
        #expect(ledger.confirm(4) == true)
        #expect(ledger.confirm(2) == true)
        #expect(ledger.unconfirmed == 1)
    }

    @Test("What was never sent cannot be confirmed", arguments: [6, .max, -1, .min])
    func impossibleConfirmation(number: Int) {
        var ledger = Self.filled(5)
        #expect(ledger.confirm(number) == false)
        #expect(ledger.resume(after: number) == nil)
        #expect(ledger.unconfirmed == 5)
    }

    @Test("What was confirmed is not to be had again")
    func lostForGood() {
        var ledger = Self.filled(5)
        #expect(ledger.confirm(4) == true)
        #expect(ledger.resume(after: 3) == nil)
    }

    @Test("Each number counts once, and none may be omitted")
    func receives() {
        var ledger = MessageLedger<Int>(limit: 1)
        let cases: [(Int, MessageLedger<Int>.Reception)] = [
            (1, .next), (1, .duplicate), (2, .next), (4, .gap), (3, .next), (0, .duplicate),
            (.min, .duplicate), (.max, .gap), (4, .next),
        ]
        for (number, reception) in cases { #expect(ledger.receive(number, at: .zero) == reception) }
        #expect(ledger.unreported == 4)
        let report = ledger.report()
        #expect(report == Acknowledgement(received: 4))
        #expect(ledger.unreported == 0)
    }

    @Test("Too many or too large messages without a confirmation are refused")
    func bounded() {
        var few = Self.filled(3, limit: 3)
        #expect(few.send { $0 } == nil)
        #expect(few.confirm(1) == true)
        #expect(few.send { $0 } == 4)
        var small = MessageLedger<Int>(limit: 100, weightLimit: 10)
        #expect(small.send(weight: 10) { $0 } == 1)
        #expect(small.send(weight: 1) { $0 } == nil)
        #expect(small.confirm(1) == true)
        #expect(small.send(weight: 10) { $0 } == 2)
    }
}
