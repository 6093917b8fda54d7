// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

/// A kind of access line as people have it at home or on the way: what both of its directions do, and what else uses it.
///
/// The numbers are typical ones, not those of one line. They rest on what is measured in public: regulators' broadband
/// programmes (FCC's Measuring Broadband America, Ofcom's home broadband reports), and the literature on queues in home
/// routers (bufferbloat: Gettys; Dischinger et al. on residential broadband), on LTE in motion and on Wi-Fi. Each
/// profile says what of that it stands on. Delays are one way: half of the round trip time in each direction.
package struct AccessProfile: Sendable, Equatable {
    /// What it is called on the command line.
    package let name: String
    /// What it is, in a line.
    package let summary: String
    /// Where its numbers come from.
    package let basis: String
    package let conditions: NetworkConditions
    /// What else uses the line.
    package var crossTraffic: [CrossTraffic] = []

    /// The profile with a name, those that are fine among them.
    package static func named(_ name: String) -> AccessProfile? { choices.first { $0.name == name } }

    package static let all = [
        fibre, cable, dsl, dslWithUpload, congested, wifi, wifiStalls, lte, lteTrain, satellite,
    ]

    /// Those that are imperfect, but so little that no one notices: whatever is named on them is a false alarm.
    package static let fine = [fineDelay, fineJitter, fineLoss, fineBackoff]

    /// All that can be chosen by name.
    package static let choices = all + fine
}

/// A TCP connection that sends as fast as the line takes it, until its time is over or its bytes are sent.
package struct CrossTraffic: Sendable, Equatable {
    package var direction: NetworkConditions.Direction
    /// Seconds from the beginning to its start.
    package var start: Double
    /// How many seconds it lasts.
    package var duration: Double
    /// Seconds of rest until it starts again; `nil` for once only.
    package var pause: Double?
    /// How much it sends each time; `nil` for as much as the line takes.
    package var bytes: Int?

    package init(
        _ direction: NetworkConditions.Direction, start: Double, duration: Double, pause: Double? = nil,
        bytes: Int? = nil
    ) {
        self.direction = direction
        self.start = start
        self.duration = duration
        self.pause = pause
        self.bytes = bytes
    }
}

extension AccessProfile {
    package static let fibre = AccessProfile(
        name: "fibre", summary: "100/50 Mbit/s, 8 ms round trip: the clean reference",
        basis: """
            Fibre to the home shows round trips of 5 to 15 ms to a server in the same country and hardly any loss in \
            the regulators' measurements. Slower than sold today: what matters for a call is that nothing is short.
            """,
        conditions: NetworkConditions(
            up: .line(delay: 4, rate: 50_000, queue: 50), down: .line(delay: 4, rate: 100_000, queue: 50)))

    package static let cable = AccessProfile(
        name: "cable", summary: "100/10 Mbit/s, 20 ms round trip with some jitter, 150 ms of queue upstream",
        basis: """
            DOCSIS lends the uplink in slots, hence jitter of some ms, and is asymmetric by a factor of ten. Since \
            DOCSIS 3.1 modems manage their uplink queue; 150 ms is what stays with older ones.
            """,
        conditions: NetworkConditions(
            up: .line(delay: 10, rate: 10_000, queue: 150) {
                $0.jitter = 6
                $0.jitterCorrelation = 20
            },
            down: .line(delay: 10, rate: 100_000, queue: 80) {
                $0.jitter = 2
                $0.jitterCorrelation = 20
            }))

    package static let dsl = AccessProfile(
        name: "dsl", summary: "16/1 Mbit/s, 25 ms round trip, a queue of 600 ms upstream",
        basis: """
            ADSL2+ at a middling distance. Interleaving makes its round trip 20 to 40 ms. Modems of that kind queue half a \
            second up to several seconds upstream, as the bufferbloat measurements showed.
            """,
        conditions: NetworkConditions(
            up: .line(delay: 12.5, rate: 1_000, queue: 600) {
                $0.jitter = 2
                $0.jitterCorrelation = 50
            },
            down: .line(delay: 12.5, rate: 16_000, queue: 200) {
                $0.jitter = 2
                $0.jitterCorrelation = 50
            }))

    package static let dslWithUpload = AccessProfile(
        name: "dslWithUpload", summary: "dsl, and someone uploads from 10 s on, 20 s of every 40",
        basis: """
            The line of dsl with what spoils calls on it most: a TCP upload, such as of photographs, that fills the \
            modem's queue.
            """,
        conditions: dsl.conditions,
        crossTraffic: [CrossTraffic(.up, start: 10, duration: 20, pause: 20)])

    package static let congested = AccessProfile(
        name: "congested",
        summary: "20/5 Mbit/s shared by too many in the evening: wandering rate, queueing, some loss",
        basis: """
            Regulators see the busiest hours' rates drop by a third to a half on overbooked segments, with round trips \
            that rise by tens of ms for minutes and loss around half a percent.
            """,
        conditions: NetworkConditions(
            up: .line(delay: 15, rate: 2_500, queue: 250) {
                $0.rateSwing = 50
                $0.rateSwingTime = 8_000
                $0.jitter = 25
                $0.jitterCorrelation = 200
                $0.loss = 0.3
            },
            down: .line(delay: 15, rate: 8_000, queue: 250) {
                $0.rateSwing = 50
                $0.rateSwingTime = 8_000
                $0.jitter = 40
                $0.jitterCorrelation = 200
                $0.burstLoss = 0.5
                $0.burstLength = 4
            }))

    package static let wifi = AccessProfile(
        name: "wifi", summary: "30 Mbit/s of Wi-Fi in the next room, jitter of 15 ms, rare short stalls",
        basis: """
            Contention and retransmission on the radio delay frames by some ms for tens of ms at a time; losses are \
            repaired there and arrive as delay. A scan for other access points silences a client for about 100 ms.
            """,
        conditions: NetworkConditions(both: .wifi(jitter: 15, rate: 30_000, stall: 80, every: 30_000)))

    package static let wifiStalls = AccessProfile(
        name: "wifiStalls", summary: "weak Wi-Fi: 8 Mbit/s that wander, and a stall of 0.4 s every 8 s",
        basis: """
            At the edge of coverage, rate adaptation changes the rate by factors within seconds, and retries, roaming and \
            scans hold everything back for several hundred ms; what has waited comes all at once.
            """,
        conditions: NetworkConditions(
            both: .wifi(jitter: 30, rate: 8_000, stall: 400, every: 8_000, swing: 60)))

    package static let lte = AccessProfile(
        name: "lte", summary: "12/4 Mbit/s of LTE that wander slowly, 50 ms round trip, deep queues",
        basis: """
            Public drive tests show 40 to 60 ms and rates that follow load and fading within seconds. Base stations \
            repair losses and queue hundreds of ms for each client rather than drop.
            """,
        conditions: NetworkConditions(
            up: .line(delay: 28, rate: 4_000, queue: 600) {
                $0.rateSwing = 40
                $0.rateSwingTime = 5_000
                $0.jitter = 15
                $0.jitterCorrelation = 30
            },
            down: .line(delay: 18, rate: 12_000, queue: 500) {
                $0.rateSwing = 50
                $0.rateSwingTime = 5_000
                $0.jitter = 10
                $0.jitterCorrelation = 30
            }))

    package static let lteTrain = AccessProfile(
        name: "lteTrain",
        summary: "LTE in a train: 4/1.5 Mbit/s that wander by 90 %, handovers of 0.6 s, some loss",
        basis: """
            Measurements along railways show rates that fall to a tenth within seconds, handovers every some ten seconds that \
            interrupt for a few hundred ms up to a second, and losses at them.
            """,
        conditions: NetworkConditions(
            up: .train(delay: 45, rate: 1_500), down: .train(delay: 35, rate: 4_000)))

    package static let satellite = AccessProfile(
        name: "satellite", summary: "20/3 Mbit/s over a geostationary satellite, 600 ms round trip",
        basis: """
            Twice 72,000 km of light are 480 ms; access to the shared uplink and the ground network make it 600 ms, as \
            regulators measured. Weather costs some packets in groups.
            """,
        conditions: NetworkConditions(
            up: .line(delay: 300, rate: 3_000, queue: 500) {
                $0.jitter = 20
                $0.jitterCorrelation = 100
                $0.burstLoss = 0.2
                $0.burstLength = 5
            },
            down: .line(delay: 300, rate: 20_000, queue: 300) {
                $0.jitter = 10
                $0.jitterCorrelation = 100
                $0.burstLoss = 0.2
                $0.burstLength = 5
            }))
}

extension AccessProfile {
    package static let fineDelay = AccessProfile(
        name: "fineDelay", summary: "fine: 50/20 Mbit/s, 120 ms round trip, as to another continent",
        basis: """
            A cable from Europe to the east of North America takes 70 to 90 ms there and back, to its west 140. ITU-T \
            G.114 finds up to 150 ms one-way unnoticeable for nearly all uses; this is less than half of that.
            """,
        conditions: NetworkConditions(
            up: .line(delay: 60, rate: 20_000, queue: 100), down: .line(delay: 60, rate: 50_000, queue: 100)))

    package static let fineJitter = AccessProfile(
        name: "fineJitter",
        summary: "fine: 50/20 Mbit/s, 24 ms round trip, each direction's delay wanders by 8 ms",
        basis: """
            The load of a shared segment changes the delay by some ms within seconds, which receivers' buffers even out. \
            Congestion control judges the trend of the delay over a third of a second. That of 8 ms with a time constant of \
            1 s stays below libwebrtc's lowest threshold; with one of 0.1 s it would be taken for overuse now and then.
            """,
        conditions: NetworkConditions(up: .wandering(rate: 20_000), down: .wandering(rate: 50_000)))

    package static let fineLoss = AccessProfile(
        name: "fineLoss",
        summary: "fine: 50/20 Mbit/s, 24 ms round trip, 0.3 % of the packets lost at random",
        basis: """
            Regulators see some tenths of a percent on good lines in the evening. ITU-T G.1010 allows video telephony 1 %; \
            over so short a path video is repaired before it is due, and audio conceals single packets.
            """,
        conditions: NetworkConditions(
            up: .line(delay: 12, rate: 20_000, queue: 100) { $0.loss = 0.3 },
            down: .line(delay: 12, rate: 50_000, queue: 100) { $0.loss = 0.3 }))

    package static let fineBackoff = AccessProfile(
        name: "fineBackoff",
        summary: "fine: 10/10 Mbit/s, 24 ms round trip, each 45 s someone sends 160 kB in each direction",
        basis: """
            A page or a photograph beside the call. TCP in slow start queues up to 50 ms for a fifth of a second, which \
            delay-based congestion control takes for overuse: it backs off to 85 % of what arrives. That second has a mean \
            queue of a few ms, far below the 50 ms of ITU-T Y.1541, and more than four fifths of its capacity are left.
            """,
        conditions: NetworkConditions(both: .line(delay: 12, rate: 10_000, queue: 200)),
        crossTraffic: [
            CrossTraffic(.up, start: 20, duration: 1, pause: 44, bytes: 160_000),
            CrossTraffic(.down, start: 40, duration: 1, pause: 44, bytes: 160_000),
        ])
}

extension NetworkConditions {
    fileprivate init(up: Link, down: Link) {
        self.init()
        self.up = up
        self.down = down
    }

    fileprivate init(both link: Link) { self.init(up: link, down: link) }
}

extension NetworkConditions.Link {
    fileprivate static func line(
        delay: Double, rate: Double, queue: Double, _ more: (inout Self) -> Void = { _ in }
    ) -> Self {
        var link = Self()
        link.delay = delay
        link.rate = rate
        link.queue = queue
        more(&link)
        return link
    }

    fileprivate static func wifi(
        jitter: Double, rate: Double, stall: Double, every interval: Double, swing: Double = 30
    ) -> Self {
        .line(delay: 8, rate: rate, queue: 300) {
            $0.jitter = jitter
            $0.jitterCorrelation = 40
            $0.rateSwing = swing
            $0.rateSwingTime = 2_000
            $0.stall = stall
            $0.stallInterval = interval
        }
    }

    fileprivate static func wandering(rate: Double) -> Self {
        .line(delay: 12, rate: rate, queue: 100) {
            $0.jitter = 8
            $0.jitterCorrelation = 1_000
        }
    }

    fileprivate static func train(delay: Double, rate: Double) -> Self {
        .line(delay: delay, rate: rate, queue: 800) {
            $0.rateSwing = 90
            $0.rateSwingTime = 4_000
            $0.jitter = 40
            $0.jitterCorrelation = 80
            $0.burstLoss = 0.5
            $0.burstLength = 6
            $0.stall = 600
            $0.stallInterval = 25_000
        }
    }
}
