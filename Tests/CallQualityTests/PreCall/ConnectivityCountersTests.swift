// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@testable import CallQuality

@Suite("Which direction loses packets before there are media")
struct ConnectingBookTests {
    private func counters(_ second: Double, sent: UInt64?, received: UInt64?) -> LegCounters {
        LegCounters(
            timestamp: second * 1000, bytesReceived: nil, packetsReceived: nil, pathPacketsSent: sent,
            pathPacketsReceived: received)
    }

    /// A leg on which both ends send `rate` packets a second and some are lost, for ten seconds.
    private func book(legs: Int = 1, rate: Double = 10, lostUp: Double = 0, lostDown: Double = 0)
        -> ConnectivityCounters
    {
        var book = ConnectivityCounters()
        for leg in 1...legs {
            for tick in 0...100 {
                let time = Double(tick) / 10
                let sent = time * rate
                // What the far end knew some time before.
                let far = max(0, (time - 0.4).rounded(.down)) * rate
                book.add(
                    leg: "leg \(leg)",
                    own: counters(time, sent: UInt64(sent), received: UInt64(sent * (1 - lostDown))),
                    far: counters(
                        (time - 0.4).rounded(.down), sent: UInt64(far), received: UInt64(far * (1 - lostUp))),
                    at: .seconds(time))
            }
        }
        return book
    }

    @Test("nothing is lost where everything arrives, however late one end is notified of the other")
    func good() {
        let book = book()
        #expect(book.uplink.fraction == 0 && book.downlink.fraction == 0)
        #expect(book.uplink.expected > 50 && book.downlink.expected > 50)
    }

    @Test("the direction that loses packets is distinguished from the other", arguments: [true, false])
    func direction(isUplink: Bool) throws {
        let book = book(legs: 2, lostUp: isUplink ? 0.6 : 0, lostDown: isUplink ? 0 : 0.6)
        let (bad, good) = isUplink ? (book.uplink, book.downlink) : (book.downlink, book.uplink)
        #expect(try #require(bad.fraction) > 0.4)
        #expect(good.fraction == 0)
        #expect(Certainty.ofLoss(bad, limit: 0.05) > 0.99)
    }

    @Test("a few packets are no evidence, nor is an end that says nothing")
    func little() {
        var book = ConnectivityCounters()
        #expect(book.uplink.fraction == nil)
        book.add(leg: "a", own: counters(0, sent: 4, received: 0), far: nil, at: .zero)
        #expect(book.uplink.fraction == nil && book.downlink.fraction == nil)
        book.add(
            leg: "a", own: counters(2, sent: 8, received: 0), far: counters(2, sent: 4, received: 0),
            at: .seconds(2))
        #expect(book.downlink.fraction == 0 && book.uplink.fraction == 0)
        book.add(
            leg: "a", own: counters(4, sent: nil, received: nil), far: counters(4, sent: nil, received: nil),
            at: .seconds(4))
        #expect(book.downlink.expected == 4)
    }
}
