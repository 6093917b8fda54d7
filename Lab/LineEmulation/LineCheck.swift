// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LinkEmulation
import MediaEngine

/// Measures through an emulated line with real sockets whether it does what it is asked to.
package struct LineCheck: Sendable {
    /// One figure.
    package struct Row: Sendable {
        package enum Unit: String, Sendable {
            case milliseconds = "ms"
            case kilobits = "kbit/s"
            case percent = "%"
            case packets = "packets"
            case correlation = ""
        }

        package var figure: String
        package var direction: NetworkConditions.Direction?
        package var unit: Unit
        /// What the settings say.
        package var asked: Double
        /// What the link model drew, where chance takes part; the measured figure is held against it.
        package var drawn: Double?
        package var measured: Double

        package var deviation: Double { measured - (drawn ?? asked) }

        /// Within 2 %, or within 1 ms, 0.02 of a correlation, 0.2 percentage points.
        package var isRight: Bool {
            let reference = drawn ?? asked
            let margin =
                switch unit {
                case .milliseconds: 1.0
                case .correlation: 0.02
                case .percent: 0.2
                case .kilobits, .packets: 0.0
                }
            return measured.isFinite && abs(deviation) <= max(margin, 0.02 * abs(reference))
        }
    }

    private let line: Line
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - line: Used by nothing else meanwhile; its conditions are changed.
    ///   - note: Called with what is measured next.
    package init(_ line: Line, note: @escaping @Sendable (String) -> Void = { _ in }) {
        self.line = line
        self.note = note
    }

    package func run() throws -> [Row] {
        var rows: [Row] = []
        for (name, measure) in measurements {
            note(name)
            rows += try measure()
        }
        return rows
    }

    private var measurements: [(String, () throws -> [Row])] {
        [
            ("delay", delay), ("rate and queue", saturation), ("loss", loss), ("bursts", bursts),
            ("jitter", jitter), ("stalls", stalls), ("wandering rate", swing),
            ("round trips of TCP", roundTrips), ("throughput of TCP", throughput),
            ("cross traffic", crossTraffic),
        ]
    }

    /// The same in both directions at the same time.
    private func probe(
        _ link: NetworkConditions.Link, size: Int, interval: Double, count: Int,
        _ rows: (NetworkConditions.Direction, DatagramProbe.Outcome) -> [Row]
    ) throws -> [Row] {
        set(link, link)
        let line = line
        let workers = NetworkConditions.Direction.allCases.map { direction in
            let probe = DatagramProbe(direction: direction, size: size, interval: interval, count: count)
            return (direction, Worker { try probe.run(over: line) })
        }
        return try workers.flatMap { rows($0, try $1.output()) }
    }

    private func set(_ up: NetworkConditions.Link, _ down: NetworkConditions.Link) {
        var conditions = NetworkConditions()
        conditions.up = up
        conditions.down = down
        line.set(conditions)
    }

    private static func link(_ change: (inout NetworkConditions.Link) -> Void) -> NetworkConditions.Link {
        var link = NetworkConditions.Link()
        change(&link)
        return link
    }
}

// MARK: - UDP

extension LineCheck {
    private func delay() throws -> [Row] {
        try probe(Self.link { $0.delay = 40 }, size: 200, interval: 5, count: 800) { direction, outcome in
            let delays = outcome.arrivals.map(\.delay).sorted()
            return [
                Row(
                    figure: "delay of UDP, median", direction: direction, unit: .milliseconds, asked: 40,
                    measured: delays.quantile(0.5)),
                Row(
                    figure: "delay of UDP, 99th percentile", direction: direction, unit: .milliseconds,
                    asked: 40, measured: delays.quantile(0.99)),
            ]
        }
    }

    /// Half more than the line carries: the queue is full after a second.
    private func saturation() throws -> [Row] {
        let link = Self.link {
            $0.delay = 20
            $0.rate = 2_000
            $0.queue = 200
        }
        return try probe(link, size: 200, interval: 0.8 / 1.5, count: 11_250) { direction, outcome in
            let full = outcome.arrivals.filter { $0.sent > outcome.arrivals[0].sent + 2_000 }
            // A packet that is taken waits for at most the queue, and then for its own transmission.
            return [
                Row(
                    figure: "rate of UDP", direction: direction, unit: .kilobits, asked: 2_000,
                    measured: full.rate(bytes: outcome.size)),
                Row(
                    figure: "delay with a full queue, 95th percentile", direction: direction,
                    unit: .milliseconds, asked: 20 + 200 + 0.8,
                    measured: full.map(\.delay).sorted().quantile(0.95)),
            ]
        }
    }

    private func loss() throws -> [Row] {
        try probe(Self.link { $0.loss = 10 }, size: 100, interval: 0.5, count: 20_000) { direction, outcome in
            [
                Row(
                    figure: "random loss", direction: direction, unit: .percent, asked: 10,
                    drawn: outcome.drawnLoss, measured: outcome.loss)
            ]
        }
    }

    private func bursts() throws -> [Row] {
        let link = Self.link {
            $0.burstLoss = 5
            $0.burstLength = 4
        }
        return try probe(link, size: 100, interval: 0.5, count: 20_000) { direction, outcome in
            [
                Row(
                    figure: "loss in bursts", direction: direction, unit: .percent, asked: 5,
                    drawn: outcome.drawnLoss, measured: outcome.loss),
                Row(
                    figure: "length of bursts", direction: direction, unit: .packets, asked: 4,
                    drawn: outcome.decisions.map(\.fate.isDelivered).meanRunOfFalse,
                    measured: outcome.hasArrived.meanRunOfFalse),
            ]
        }
    }

    /// Packets as far apart as the jitter is wide, so that order takes nothing from it.
    private func jitter() throws -> [Row] {
        let link = Self.link {
            $0.delay = 10
            $0.jitter = 20
            $0.jitterCorrelation = 100
        }
        return try probe(link, size: 200, interval: 20, count: 1_000) { direction, outcome in
            let drawn = outcome.decisions.compactMap(\.delay), measured = outcome.arrivals.map(\.delay)
            return [
                Row(
                    figure: "delay with jitter, mean", direction: direction, unit: .milliseconds, asked: 20,
                    drawn: drawn.mean, measured: measured.mean),
                Row(
                    figure: "jitter, standard deviation", direction: direction, unit: .milliseconds,
                    asked: 20 / 12.0.squareRoot(), drawn: drawn.deviation, measured: measured.deviation),
                Row(
                    figure: "correlation of jitter after 100 ms", direction: direction, unit: .correlation,
                    asked: exp(-1), drawn: drawn.correlation(lag: 5), measured: measured.correlation(lag: 5)),
            ]
        }
    }

    private func stalls() throws -> [Row] {
        let link = Self.link {
            $0.stall = 100
            $0.stallInterval = 400
        }
        return try probe(link, size: 100, interval: 1, count: 15_000) { direction, outcome in
            let drawn = outcome.decisions.compactMap(\.delay).filter { $0 > 2 }.count
            let measured = outcome.arrivals.filter { $0.delay > 2 }.count
            return [
                Row(
                    figure: "share of stalls", direction: direction, unit: .percent, asked: 20,
                    drawn: Double(drawn) / Double(outcome.sent) * 100,
                    measured: Double(measured) / Double(outcome.sent) * 100),
                Row(
                    figure: "loss with stalls", direction: direction, unit: .percent, asked: 0,
                    measured: outcome.loss),
            ]
        }
    }

    private func swing() throws -> [Row] {
        let link = Self.link {
            $0.rate = 2_000
            $0.rateSwing = 50
            $0.rateSwingTime = 500
            $0.queue = 100
        }
        return try probe(link, size: 500, interval: 1.2, count: 8_000) { direction, outcome in
            [
                Row(
                    figure: "wandering rate, mean of 10 s", direction: direction, unit: .kilobits,
                    asked: 2_000,
                    drawn: outcome.decisions.rate(bytes: outcome.size),
                    measured: outcome.arrivals.rate(bytes: outcome.size))
            ]
        }
    }
}

// MARK: - TCP

extension LineCheck {
    private func roundTrips() throws -> [Row] {
        set(Self.link { $0.delay = 20 }, Self.link { $0.delay = 30 })
        let times = try PingPong.run(over: line, count: 100).sorted()
        return [
            Row(
                figure: "round trip of TCP, median", unit: .milliseconds, asked: 50,
                measured: times.quantile(0.5))
        ]
    }

    private static let capped = link {
        $0.delay = 10
        $0.rate = 5_000
        $0.queue = 200
    }
    /// What is left of an IP packet of full size for TCP's payload: 20 bytes of IP header, 32 of TCP's.
    private static let payloadShare = 1_448.0 / 1_500

    private func throughput() throws -> [Row] {
        set(Self.capped, Self.capped)
        return try NetworkConditions.Direction.allCases.map { direction in
            let flow = try BulkFlow(over: line, direction)
            defer { flow.stop() }
            let rate = steadyRate(of: flow, for: 5)
            return Row(
                figure: "throughput of TCP", direction: direction, unit: .kilobits,
                asked: 5_000 * Self.payloadShare, measured: rate)
        }
    }

    /// kbit/s, after two seconds in which it finds its rate.
    private func steadyRate(of flow: BulkFlow, for seconds: Double) -> Double {
        Thread.sleep(forTimeInterval: 2)
        let bytes = flow.receivedBytes, start = monotonicMicroseconds()
        Thread.sleep(forTimeInterval: seconds)
        return Double(flow.receivedBytes - bytes) * 8_000 / Double(monotonicMicroseconds() - start)
    }

    /// A steady UDP stream beside a TCP connection: together they have the line's rate.
    private func crossTraffic() throws -> [Row] {
        set(Self.capped, Self.capped)
        return try NetworkConditions.Direction.allCases.flatMap { direction in
            let flow = try BulkFlow(over: line, direction), line = line
            defer { flow.stop() }
            let before = line.counters(direction).udp
            let probe = DatagramProbe(direction: direction, size: 1_000, interval: 8, count: 900)
            let stream = Worker { try probe.run(over: line) }
            let tcp = steadyRate(of: flow, for: 5)
            let outcome = try stream.output()
            let after = line.counters(direction).udp
            let steady = outcome.arrivals.filter { $0.received > outcome.arrivals[0].received + 2_000 }
            let udp = steady.rate(bytes: outcome.size)
            return [
                Row(
                    figure: "TCP and a UDP stream together", direction: direction, unit: .kilobits,
                    asked: 5_000, measured: tcp / Self.payloadShare + udp),
                Row(
                    figure: "UDP beside TCP, delivered", direction: direction, unit: .packets,
                    asked: Double(outcome.sent),
                    drawn: Double(after.delivered.packets - before.delivered.packets),
                    measured: Double(outcome.arrivals.count)),
            ]
        }
    }
}

// MARK: - Figures

extension LinkForwarder.Decision {
    /// When it arrives, ms; `nil` for what was dropped.
    fileprivate var due: Double? {
        if case .delivered(let due) = fate { Double(due) / 1_000 } else { nil }
    }

    /// ms; `nil` for what was dropped.
    fileprivate var delay: Double? {
        if case .delivered(let due) = fate { Double(due - offeredAt) / 1_000 } else { nil }
    }
}

extension DatagramProbe.Outcome {
    fileprivate var loss: Double { 100 - Double(arrivals.count) / Double(max(1, sent)) * 100 }

    fileprivate var drawnLoss: Double {
        Double(decisions.filter { !$0.fate.isDelivered }.count) / Double(max(1, decisions.count)) * 100
    }

    fileprivate var hasArrived: [Bool] {
        var result = [Bool](repeating: false, count: sent)
        for arrival in arrivals where result.indices.contains(arrival.number) {
            result[arrival.number] = true
        }
        return result
    }
}

extension [DatagramProbe.Arrival] {
    /// kbit/s from the first to the last.
    fileprivate func rate(bytes: Int) -> Double {
        guard let first, let last, last.received > first.received else { return 0 }
        return Double((count - 1) * bytes * 8) / (last.received - first.received)
    }
}

extension [LinkForwarder.Decision] {
    fileprivate func rate(bytes: Int) -> Double {
        let times = compactMap(\.due)
        guard let first = times.first, let last = times.last, last > first else { return 0 }
        return Double((times.count - 1) * bytes * 8) / (last - first)
    }
}

extension [Bool] {
    /// Mean length of the runs of false.
    fileprivate var meanRunOfFalse: Double {
        let runs = zip([true] + self, self).filter { $0 && !$1 }.count
        return Double(filter { !$0 }.count) / Double(Swift.max(1, runs))
    }
}

extension [Double] {
    fileprivate var mean: Double { reduce(0, +) / Double(Swift.max(1, count)) }

    fileprivate var deviation: Double {
        let mean = mean
        return map { ($0 - mean) * ($0 - mean) }.mean.squareRoot()
    }

    /// Of values in order.
    fileprivate func quantile(_ share: Double) -> Double {
        isEmpty ? .nan : self[Swift.min(count - 1, Int(Double(count) * share))]
    }

    /// The correlation of each value with the one `lag` places behind it.
    fileprivate func correlation(lag: Int) -> Double {
        let mean = mean
        return zip(self, dropFirst(lag)).map { ($0 - mean) * ($1 - mean) }.mean / (deviation * deviation)
    }
}
