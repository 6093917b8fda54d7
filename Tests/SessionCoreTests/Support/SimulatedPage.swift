// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire
import WebRTCStats

@testable import SessionCore

/// A page that tests its network, between it and the media router a line, on virtual time.
///
/// Its clock is another one than the server's. What it says takes a moment, and waits while its uplink is full.
struct SimulatedPage {
    /// One direction of the line, and what the stream has brought through it.
    struct Direction {
        /// bps.
        var capacity: Double
        /// Share of the packets.
        var loss = 0.0
        /// What comes while nothing is sent, bps: checks and reports.
        var idleRate = 0.0
        private(set) var isFilledUntil = 0.0
        private var fillRate = 0.0
        private var bytes = 0.0
        private var packets = 0.0
        private var audio = (received: 0.0, lost: 0.0)
        private var video = (received: 0.0, lost: 0.0)

        init(capacity: Double, loss: Double = 0) {
            self.capacity = capacity
            self.loss = loss
        }

        mutating func fill(_ rate: Double, until end: Double) { (fillRate, isFilledUntil) = (rate, end) }

        func isFull(at now: Double) -> Bool { now < isFilledUntil && fillRate > capacity }

        /// Another connection has counted nothing yet.
        mutating func renew() {
            let idleRate = idleRate
            self = Direction(capacity: capacity, loss: loss)
            self.idleRate = idleRate
        }

        /// Ten milliseconds pass, in which media are sent at `videoRate` beside audio, or nothing.
        mutating func advance(to now: Double, sends: Bool, videoRate: Double) {
            if now < isFilledUntil { return carry(packets: min(fillRate, capacity) / 100 / 8224) }
            guard sends else { return carry(packets: idleRate / 100 / 8224) }
            let (audioPackets, videoPackets) = (0.5, videoRate / 100 / 8000)
            audio = (audio.received + audioPackets * (1 - loss), audio.lost + audioPackets * loss)
            video = (video.received + videoPackets * (1 - loss), video.lost + videoPackets * loss)
            carry(packets: (audioPackets + videoPackets) * (1 - loss))
        }

        private mutating func carry(packets count: Double) {
            packets += count
            bytes += count * 1000
        }

        func counters(at time: Double) -> LegCounters {
            func medium(_ counts: (received: Double, lost: Double), _ size: Double) -> LegCounters.Medium {
                .init(
                    packetsReceived: UInt64(counts.received), packetsLost: Int64(counts.lost),
                    bytesReceived: UInt64(counts.received * size), jitter: 0.002)
            }
            return LegCounters(
                timestamp: time, bytesReceived: UInt64(bytes), packetsReceived: UInt64(packets),
                audio: medium(audio, 100), video: medium(video, 1000))
        }
    }

    private static let serverBegan: Duration = .seconds(5000)
    private static let pageEpoch = 1_700_000_000_000.0
    private static let routerEpoch = 1_600_000_000_000.0

    var up: Direction
    var down: Direction
    /// ms, for a message in either direction.
    var delay = 20.0
    /// By how much round trips are longer once media flow, in seconds.
    var queue = 0.0
    /// ms until its connections are made.
    var connectingTime = 1000.0
    /// ms until connections are made again.
    var renewalTime = 300.0
    private(set) var actions: [QualityPlan.Action] = []
    private var test: HostedNetworkTest
    private var now = 0.0
    private var readings: [HostedNetworkTest.Reading] = []
    private var generation = 1
    private var isSilent = true
    private var videoRate = 0.0
    private var hasVideo = true

    init(up: Direction, down: Direction) {
        (self.up, self.down) = (up, down)
        test = HostedNetworkTest(rules: PreCallRules(), at: Self.serverBegan)
    }

    /// Makes the test as a page does, and gives what the server says at its end.
    mutating func run() throws -> ServerMessage.NetworkTest.Result? {
        advance(by: connectingTime)
        _ = try ask(.connecting)
        while now < 60_000 {
            advance(by: 250)
            for action in try ask(.measuring(fillsUplink: true)).actions {
                actions.append(action)
                if action == .finish { return try end(failure: nil) }
                perform(action)
            }
        }
        return nil
    }

    /// Asks for the result while its connections are made again.
    mutating func endWhenRenewing() throws -> ServerMessage.NetworkTest.Result? {
        advance(by: connectingTime)
        while now < 60_000 {
            advance(by: 250)
            for action in try ask(.measuring(fillsUplink: true)).actions {
                if action == .renewSubscription { return try end(failure: nil) }
                perform(action)
            }
        }
        return nil
    }

    /// Ends it.
    mutating func end(
        failure: ClientMessage.NetworkTest.Failure?
    ) throws -> ServerMessage.NetworkTest.Result? {
        try ask(.ended(outcome: .init(start: Self.pageEpoch, steps: [], failure: failure))).result
    }

    private mutating func perform(_ action: QualityPlan.Action) {
        switch action {
        case .fill(let directions, let bitrate, let seconds, let downlinkSeconds):
            up.fill(bitrate, until: directions.contains(.uplink) ? now + seconds * 1000 : 0)
            let downlinkEnd = now + (downlinkSeconds ?? seconds) * 1000
            down.fill(bitrate, until: directions.contains(.downlink) ? downlinkEnd : 0)
            isSilent = true
        case .silence:
            up.fill(0, until: 0)
            isSilent = true
        case .release(_, let maximumVideo):
            up.fill(0, until: 0)
            (videoRate, isSilent) = (maximumVideo, false)
        case .renewSubscription: renew(all: false)
        case .renewStreamWithoutVideo:
            hasVideo = false
            renew(all: true)
        case .stopVideo: hasVideo = false
        default: break
        }
    }

    private mutating func renew(all: Bool) {
        generation += 1
        readings = []
        down.renew()
        if all { up.renew() }
        advance(by: renewalTime)
    }

    // MARK: Time

    private mutating func advance(by time: Double) {
        let end = now + time
        while now < end {
            now += 10
            let rate = hasVideo ? videoRate : 0
            up.advance(to: now, sends: !isSilent, videoRate: rate)
            down.advance(to: now, sends: !isSilent, videoRate: rate)
            if now.truncatingRemainder(dividingBy: 250) == 0 { read() }
        }
    }

    private mutating func read() {
        let arrival = Self.serverBegan + .milliseconds(now)
        test.note(up.counters(at: Self.routerEpoch + now), of: "p", at: arrival)
        readings.append(.init(reading("p", down: nil), of: .publisher))
        readings.append(.init(reading("s\(generation)", down: down), of: .subscriber))
    }

    private mutating func ask(
        _ course: ClientMessage.NetworkTest.Course
    ) throws -> ServerMessage.NetworkTest {
        let request = ClientMessage.NetworkTest(time: now, course: course)
        let sent = readings
        readings = []
        while up.isFull(at: now) { advance(by: 10) }
        advance(by: delay)
        let answer = try test.take(request, sent, at: Self.serverBegan + .milliseconds(now))
        advance(by: delay)
        return answer
    }

    // MARK: What it reads

    /// A whole report.
    private func reading(_ leg: LegName, down: Direction?) -> ClientMessage.NetworkTest.Reading {
        let pair: [StatsValue] = [
            .string("candidate-pair"), .string("P"), .string("currentRoundTripTime"),
            .double(now > connectingTime ? 0.04 + queue : 0.04),
        ]
        var changes: [StatsValue] = [.int(-1), .double(Self.pageEpoch + now), .array(pair)]
        let counters = down?.counters(at: now)
        changes.append(
            Self.object(
                "transport", "T",
                [
                    "bytesReceived": counters?.bytesReceived ?? 0,
                    "packetsReceived": counters?.packetsReceived ?? 0,
                ], ["selectedCandidatePairId": "P"]))
        for (kind, medium) in [("audio", counters?.audio), ("video", counters?.video)] {
            guard let medium else { continue }
            changes.append(
                Self.object(
                    "inbound-rtp", kind,
                    [
                        "packetsReceived": medium.packetsReceived, "bytesReceived": medium.bytesReceived,
                        "packetsLost": UInt64(medium.packetsLost),
                    ], ["kind": kind]))
        }
        return .init(leg: leg, time: now, changes: changes)
    }

    private static func object(
        _ type: String, _ id: String, _ counts: [String: UInt64], _ words: [String: String]
    ) -> StatsValue {
        var values: [StatsValue] = [.string(type), .string(id)]
        for (name, count) in counts { values += [.string(name), .int(Int64(count))] }
        for (name, word) in words { values += [.string(name), .string(word)] }
        return .array(values)
    }
}
