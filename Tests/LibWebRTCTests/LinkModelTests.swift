// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Testing

@Suite("Link model, on virtual time")
struct LinkModelTests {
    @Test("a perfect link delivers everything at once")
    func perfect() {
        var link = LinkModel()
        let fates = link.offer(count: 100, every: 1)
        #expect(fates.enumerated().allSatisfy { $1 == .delivered(atMs: 1_000 + Double($0)) })
        let packetsOffered = link.counters.packets_offered
        #expect(packetsOffered == 100)
        let bytesSent = link.counters.bytes_sent
        #expect(bytesSent == 100_000)
    }

    @Test("delay moves every packet by the same time")
    func delay() {
        var link = LinkModel(.make(delay: 80))
        let fates = link.offer(count: 3, every: 5)
        #expect(fates == [1_080, 1_085, 1_090].map { .delivered(atMs: $0) })
    }

    @Test("random loss takes its share, within four standard deviations", arguments: [1.0, 5, 20, 100])
    func loss(percent: Double) {
        var link = LinkModel(.make(loss: percent))
        let count = 20_000
        let lost = link.offer(count: count, every: 1).filter { $0 == .lost }.count
        let share = percent / 100
        let deviation = (share * (1 - share) / Double(count)).squareRoot()
        #expect(abs(Double(lost) / Double(count) - share) <= 4 * deviation)
        let droppedByLoss = link.counters.dropped_by_loss
        #expect(droppedByLoss == UInt64(lost))
    }

    @Test("random losses stand alone: a loss follows a loss no more often than any other packet")
    func independence() {
        var link = LinkModel(.make(loss: 10))
        let losses = link.offer(count: 50_000, every: 1).map { $0 == .lost }
        let afterLoss = zip(losses, losses.dropFirst()).filter(\.0)
        let share = Double(afterLoss.filter(\.1).count) / Double(afterLoss.count)
        #expect((0.08...0.12).contains(share))
    }

    @Test(
        "burst loss keeps both its share and its mean length",
        arguments: [(5.0, 4.0), (10.0, 10.0), (2.0, 1.0)])
    func bursts(percent: Double, length: Double) {
        var link = LinkModel(.make(burstLoss: percent, burstLength: length))
        let losses = link.offer(count: 200_000, every: 1).map { $0 == .lost }
        let bursts = zip([false] + losses, losses).filter { !$0 && $1 }.count
        let lost = losses.filter { $0 }.count
        #expect(abs(Double(lost) / Double(losses.count) * 100 - percent) < percent * 0.1)
        #expect(abs(Double(lost) / Double(bursts) - length) < length * 0.1)
    }

    @Test("a limited rate spaces packets by their time on the wire, headers included")
    func rate() {
        var link = LinkModel(.make(rate: 500))
        // 972 + 28 bytes at 500 kbit/s are 16 ms.
        let fates = link.offer(count: 4, every: 0, bytes: 972)
        #expect(fates == [1_016, 1_032, 1_048, 1_064].map { .delivered(atMs: $0) })
    }

    @Test("a full queue drops what arrives and takes packets again once it has drained")
    func queue() {
        var link = LinkModel(.make(rate: 500, queue: 100))
        let fates = link.offer(count: 20, every: 0, bytes: 972)
        // Packets start after 0, 16, ... ms; those that would start later than 100 ms are dropped.
        #expect(fates.prefix(7).allSatisfy { $0.isDelivered })
        #expect(fates.dropFirst(7).allSatisfy { $0 == .queueFull })
        let droppedByQueue = link.counters.dropped_by_queue
        #expect(droppedByQueue == 13)
        link.now += 50
        let afterwards = link.offer(bytes: 972)
        #expect(afterwards.isDelivered)
    }

    @Test("an overloaded link carries its rate and no more")
    func overload() {
        var link = LinkModel(.make(rate: 500, queue: 300))
        // 1 Mbit/s for ten seconds.
        let fates = link.offer(count: 1_250, every: 8, bytes: 972)
        let bits = Double(fates.filter(\.isDelivered).count) * 8_000
        #expect(abs(bits / 10 - 500_000) < 20_000)
    }

    @Test("jitter delays within its range and never reorders")
    func jitter() {
        var link = LinkModel(.make(delay: 20, jitter: 50))
        var arrivals: [Double] = [], delays: [Double] = []
        for _ in 0..<5_000 {
            if case .delivered(let at) = link.offer() {
                arrivals.append(at)
                delays.append(at - link.now)
            }
            link.now += 3
        }
        #expect(zip(arrivals, arrivals.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(delays.allSatisfy { (20...70).contains($0) })
        #expect(delays.contains { $0 > 60 })
    }

    @Test("lowering the delay in a call does not let new packets overtake old ones")
    func shrinkingDelay() {
        var link = LinkModel(.make(delay: 200))
        let old = link.offer()
        link.set(.make(delay: 10))
        link.now += 5
        let next = link.offer()
        link.now = 1_300
        let late = link.offer()
        #expect([old, next, late] == [1_200, 1_200, 1_310].map { .delivered(atMs: $0) })
    }

    @Test("an outage drops everything until it is lifted")
    func outage() {
        var link = LinkModel(.make(outage: true))
        let during = link.offer(count: 10, every: 10)
        link.set(.make())
        let afterwards = link.offer()
        let counters = link.counters
        #expect(during.allSatisfy { $0 == .outage })
        #expect(afterwards.isDelivered)
        #expect(counters.dropped_by_outage == 10)
        #expect(counters.packets_sent == 1)
    }

    @Test("equal seeds give equal fates, other seeds others")
    func seeds() {
        let settings = sl_link_settings.make(jitter: 20, loss: 10, burstLoss: 5, burstLength: 3)
        func fates(seed: UInt64) -> [LinkModel.Fate] {
            var link = LinkModel(seed: seed, settings)
            return link.offer(count: 500, every: 2)
        }
        #expect(fates(seed: 3) == fates(seed: 3))
        #expect(fates(seed: 3) != fates(seed: 4))
    }

    @Test("every packet offered is either sent or counted as dropped for one reason")
    func bookkeeping() {
        var link = LinkModel(
            .make(delay: 5, jitter: 5, loss: 10, burstLoss: 5, burstLength: 4, rate: 800, queue: 50))
        for round in 0..<10 {
            _ = link.offer(count: 300, every: 5)
            link.set(.make(loss: 10, rate: 800, queue: 50, outage: round % 2 == 0))
        }
        let counters = link.counters
        let dropped = counters.dropped_by_loss + counters.dropped_by_queue + counters.dropped_by_outage
        #expect(counters.packets_offered == 3_000)
        #expect(counters.packets_sent + dropped == counters.packets_offered)
        #expect(
            [counters.dropped_by_loss, counters.dropped_by_queue, counters.dropped_by_outage].allSatisfy {
                $0 > 0
            })
    }

    @Test("senseless settings are taken for a perfect link, never for a trap")
    func nonsense() {
        let nonsense = [-1, Double.nan, .infinity, -.infinity, 1e300]
        for value in nonsense {
            let settings = sl_link_settings.make(
                delay: value, jitter: value, loss: value, burstLoss: value, burstLength: value, rate: value,
                queue: value)
            var link = LinkModel(settings)
            let fates = link.offer(count: 50, every: 1)
            #expect(fates.count == 50)
        }
    }
}
