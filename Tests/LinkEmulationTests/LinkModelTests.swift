// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLinkModel
import LinkEmulation
import MediaEngine
import Testing

@Suite("Link model, on virtual time")
struct LinkModelTests {
    @Test("a perfect link delivers everything at once")
    func perfect() {
        var link = TestLink()
        let fates = link.offer(count: 100, every: 1)
        #expect(fates.enumerated().allSatisfy { $1 == .delivered(atMs: 1_000 + Double($0)) })
        let packetsOffered = link.counters.packetsOffered
        #expect(packetsOffered == 100)
        let bytesSent = link.counters.bytesSent
        #expect(bytesSent == 100_000)
    }

    @Test("delay moves every packet by the same time")
    func delay() {
        var link = TestLink(.make(delay: 80))
        let fates = link.offer(count: 3, every: 5)
        #expect(fates == [1_080, 1_085, 1_090].map { .delivered(atMs: $0) })
    }

    @Test("what a packet met is its delay, part by part")
    func encounter() {
        // 1,000 bytes take 10 ms and come every 8, so that a queue builds up.
        var link = TestLink(
            headerBytes: 0,
            .make(delay: 20, jitter: 15, rate: 800, queue: 1_000) {
                $0.stall_ms = 30
                $0.stall_every_ms = 300
            })
        var isStalled = false
        for number in 0..<200 {
            let now = link.now, fate = link.offer(bytes: 1_000)
            let met = link.encounter
            guard case .delivered(let at) = fate else { continue }
            let parts = (met.queue_us + met.stall_us + met.jitter_us) / 1_000 + 10 + 20
            #expect(abs(at - now - parts) < 0.01)
            #expect(met.rate_kbps == 800)
            if number == 0 { #expect(met.queue_us == 0) }
            isStalled = isStalled || met.stall_us > 0
            link.now += 8
        }
        #expect(isStalled)
    }

    @Test("what is dropped meets no capacity")
    func encounterOfDropped() {
        var link = TestLink(.make(rate: 800, queue: 5))
        _ = link.offer(count: 10, every: 0)
        let met = link.encounter
        #expect(met.rate_kbps == 0 && met.queue_us > 5_000 && met.stall_us == 0 && met.jitter_us == 0)
    }

    @Test("random loss takes its share, within four standard deviations", arguments: [1.0, 5, 20, 100])
    func loss(percent: Double) {
        var link = TestLink(.make(loss: percent))
        let count = 20_000
        let lost = link.offer(count: count, every: 1).filter { $0 == .lost }.count
        let share = percent / 100
        let deviation = (share * (1 - share) / Double(count)).squareRoot()
        #expect(abs(Double(lost) / Double(count) - share) <= 4 * deviation)
        let droppedByLoss = link.counters.droppedByLoss
        #expect(droppedByLoss == UInt64(lost))
    }

    @Test("random losses stand alone: a loss follows a loss no more often than any other packet")
    func independence() {
        var link = TestLink(.make(loss: 10))
        let losses = link.offer(count: 50_000, every: 1).map { $0 == .lost }
        let afterLoss = zip(losses, losses.dropFirst()).filter(\.0)
        let share = Double(afterLoss.filter(\.1).count) / Double(afterLoss.count)
        #expect((0.08...0.12).contains(share))
    }

    @Test(
        "burst loss keeps both its share and its mean length",
        arguments: [(5.0, 4.0), (10.0, 10.0), (2.0, 1.0)])
    func bursts(percent: Double, length: Double) {
        var link = TestLink(.make(burstLoss: percent, burstLength: length))
        let losses = link.offer(count: 200_000, every: 1).map { $0 == .lost }
        let bursts = zip([false] + losses, losses).filter { !$0 && $1 }.count
        let lost = losses.filter { $0 }.count
        #expect(abs(Double(lost) / Double(losses.count) * 100 - percent) < percent * 0.1)
        #expect(abs(Double(lost) / Double(bursts) - length) < length * 0.1)
    }

    @Test("a limited rate spaces packets by their time on the wire, headers included")
    func rate() {
        var link = TestLink(.make(rate: 500))
        // 972 + 28 bytes at 500 kbit/s are 16 ms.
        let fates = link.offer(count: 4, every: 0, bytes: 972)
        #expect(fates == [1_016, 1_032, 1_048, 1_064].map { .delivered(atMs: $0) })
    }

    @Test("a full queue drops what arrives and takes packets again once it has drained")
    func queue() {
        var link = TestLink(.make(rate: 500, queue: 100))
        let fates = link.offer(count: 20, every: 0, bytes: 972)
        // Packets start after 0, 16, ... ms; those that would start later than 100 ms are dropped.
        #expect(fates.prefix(7).allSatisfy { $0.isDelivered })
        #expect(fates.dropFirst(7).allSatisfy { $0 == .queueFull })
        let droppedByQueue = link.counters.droppedByQueue
        #expect(droppedByQueue == 13)
        link.now += 50
        let afterwards = link.offer(bytes: 972)
        #expect(afterwards.isDelivered)
    }

    @Test("an overloaded link carries its rate and no more")
    func overload() {
        var link = TestLink(.make(rate: 500, queue: 300))
        // 1 Mbit/s for ten seconds.
        let fates = link.offer(count: 1_250, every: 8, bytes: 972)
        let bits = Double(fates.filter(\.isDelivered).count) * 8_000
        #expect(abs(bits / 10 - 500_000) < 20_000)
    }

    @Test("jitter delays within its range and never reorders")
    func jitter() {
        var link = TestLink(.make(delay: 20, jitter: 50))
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
        var link = TestLink(.make(delay: 200))
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
        var link = TestLink(.make(outage: true))
        let during = link.offer(count: 10, every: 10)
        link.set(.make())
        let afterwards = link.offer()
        let counters = link.counters
        #expect(during.allSatisfy { $0 == .outage })
        #expect(afterwards.isDelivered)
        #expect(counters.droppedByOutage == 10)
        #expect(counters.packetsSent == 1)
    }

    @Test("equal seeds give equal fates, other seeds others")
    func seeds() {
        let settings = sl_link_settings.make(jitter: 20, loss: 10, burstLoss: 5, burstLength: 3)
        func fates(seed: UInt64) -> [TestLink.Fate] {
            var link = TestLink(seed: seed, settings)
            return link.offer(count: 500, every: 2)
        }
        #expect(fates(seed: 3) == fates(seed: 3))
        #expect(fates(seed: 3) != fates(seed: 4))
    }

    @Test("every packet offered is either sent or counted as dropped for one reason")
    func bookkeeping() {
        var link = TestLink(
            .make(delay: 5, jitter: 5, loss: 10, burstLoss: 5, burstLength: 4, rate: 800, queue: 50))
        for round in 0..<10 {
            _ = link.offer(count: 300, every: 5)
            link.set(.make(loss: 10, rate: 800, queue: 50, outage: round % 2 == 0))
        }
        let counters = link.counters
        let dropped = counters.droppedByLoss + counters.droppedByQueue + counters.droppedByOutage
        #expect(counters.packetsOffered == 3_000)
        #expect(counters.packetsSent + dropped == counters.packetsOffered)
        #expect(
            [counters.droppedByLoss, counters.droppedByQueue, counters.droppedByOutage].allSatisfy {
                $0 > 0
            })
    }

    @Test("senseless settings are taken for a perfect link, never for a trap")
    func nonsense() {
        let nonsense = [-1, Double.nan, .infinity, -.infinity, 1e300, 1e-300, 1]
        for value in nonsense {
            for other in nonsense {
                let settings = sl_link_settings.make(
                    delay: value, jitter: other, loss: value, burstLoss: other, burstLength: value,
                    rate: value, queue: other
                ) {
                    $0.jitter_correlation_ms = value
                    $0.rate_swing_percent = other
                    $0.rate_swing_ms = value
                    $0.stall_ms = other
                    $0.stall_every_ms = value
                }
                var link = TestLink(settings)
                let fates = link.offer(count: 20, every: 1) + link.offer(count: 3, every: 1e9)
                #expect(fates.count == 23)
            }
        }
    }

    @Test("packets of any size and settings that change at any time are no trap either")
    func nonsensePackets() {
        var link = TestLink(headerBytes: .max, .make(rate: 1e-9, queue: 1e9))
        for bytes in [0, -1, .max, .min, 1_500] {
            _ = link.offer(bytes: bytes)
            link.set(
                .make(rate: 100, queue: 1e9) {
                    $0.stall_ms = 1e9; $0.stall_every_ms = 1e-9
                })
        }
        link.now = -1e9
        _ = link.offer()
        let offered = link.counters.packetsOffered
        #expect(offered == 6)
    }

    @Test("packets that are whole count as they are")
    func headers() {
        var link = TestLink(headerBytes: 0, .make(rate: 500))
        let fates = link.offer(count: 2, every: 0, bytes: 1_000)
        #expect(fates == [1_016, 1_032].map { .delivered(atMs: $0) })
    }
}
