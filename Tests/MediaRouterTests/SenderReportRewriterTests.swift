// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Testing

/// A subscriber learns from sender reports when audio was captured; libwebrtc takes its arrival at the router for that.
@Suite("Sender reports of forwarded audio")
struct SenderReportRewriterTests {
    private static let ssrc: UInt32 = 0x1234_5678
    private static let ticksPerMs = 48
    /// All that a router sends is dated this much back, in ms.
    private static let margin = 10

    private final class Sender {
        private let rewriter = sl_sender_report_rewriter_create(ssrc)
        private let firstTimestamp: UInt32 = .max - 50_000
        private var next = 0
        private var now = 0
        deinit { sl_sender_report_rewriter_destroy(rewriter) }

        private func timestamp(_ captured: Int) -> UInt32 {
            firstTimestamp &+ UInt32(truncatingIfNeeded: captured * ticksPerMs)
        }

        /// Packets of 20 ms each, that come after their transit in ms, and not before the last.
        func send(_ count: Int, transit: Int, ssrc: UInt32 = ssrc) {
            for _ in 0..<count {
                sendPacket(captured: next, at: next + transit, ssrc: ssrc)
                next += 20
            }
        }

        func sendPacket(captured: Int, at time: Int, ssrc: UInt32 = ssrc, isRetransmission: Bool = false) {
            now = max(now, time)
            let packet = [0x80, 111, 0, 1] + timestamp(captured).bytes + ssrc.bytes + [1, 2, 3]
            sl_sender_report_rewriter_send_rtp(
                rewriter, packet, packet.count, isRetransmission, Int64(now))
        }

        func sendRaw(_ packet: [UInt8]) {
            sl_sender_report_rewriter_send_rtp(rewriter, packet, packet.count, false, Int64(now))
        }

        /// A compound packet as libwebrtc makes it, and what leaves of it.
        func report(ssrc: UInt32 = ssrc) -> (before: [UInt8], after: [UInt8]) {
            let report =
                [0x80, 200, 0, 6] + ssrc.bytes + [1, 2, 3, 4, 5, 6, 7, 8] + timestamp(next).bytes
                + UInt32(50).bytes + UInt32(5000).bytes
            let description = [0x81, 202, 0, 2] + ssrc.bytes + [1, 1, 97, 0]
            let before = report + description
            return (before, rewrite(before))
        }

        func rewrite(_ reports: [UInt8]) -> [UInt8] {
            var reports = reports
            sl_sender_report_rewriter_send_rtcp(rewriter, &reports, reports.count)
            return reports
        }

        /// By how many ms a report dates back what leaves with it.
        func datedBack() -> Int {
            let (before, after) = report()
            func timestamp(_ packet: [UInt8]) -> UInt32 { packet[16..<20].reduce(0) { $0 << 8 | UInt32($1) } }
            return Int(Int32(bitPattern: timestamp(after) &- timestamp(before))) / ticksPerMs
        }
    }

    @Test("they date audio back by as long as it waited in a queue, and no longer once the queue is gone")
    func queue() {
        let sender = Sender()
        sender.send(100, transit: 40)
        #expect(sender.datedBack() == Self.margin)
        sender.send(300, transit: 190)
        #expect(sender.datedBack() == Self.margin + 150)
        sender.send(100, transit: 40)
        #expect(sender.datedBack() == Self.margin)
    }

    @Test("only their RTP timestamp changes, and only in reports on that audio")
    func rest() {
        let sender = Sender()
        sender.send(10, transit: 40)
        let (before, after) = sender.report()
        #expect(
            before[..<16] == after[..<16] && before[16..<20] != after[16..<20]
                && before[20...] == after[20...])
        let other = sender.report(ssrc: 9)
        #expect(other.before == other.after)
    }

    @Test("audio that is sent again, and that of others, says nothing of a queue")
    func retransmission() {
        let sender = Sender()
        sender.send(100, transit: 40)
        sender.sendPacket(captured: 1600, at: 2020, isRetransmission: true)
        sender.sendPacket(captured: 1600, at: 2020, ssrc: 9)
        #expect(sender.datedBack() == Self.margin)
    }

    @Test("one that follows another report changes too")
    func second() {
        let sender = Sender()
        sender.send(10, transit: 40)
        let first: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 9]
        let (before, after) = sender.report()
        #expect(sender.rewrite(first + before) == first + after)
    }

    @Test("reports that end early leave as they came")
    func short() {
        let sender = Sender()
        sender.send(10, transit: 40)
        let whole = sender.report().before
        for length in 0..<28 {
            let reports = Array(whole.prefix(length))
            #expect(sender.rewrite(reports) == reports)
        }
        // One whose header says so.
        let empty = [0x80, 200, 0, 1] + Self.ssrc.bytes
        #expect(sender.rewrite(empty) == empty)
        sender.sendRaw([0x80, 111, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    }
}

extension UInt32 {
    /// In network byte order.
    fileprivate var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}
