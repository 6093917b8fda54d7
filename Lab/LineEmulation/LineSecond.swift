// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLinkModel
import LinkEmulation
import MediaEngine

/// What one direction of a line did to the packets of one second.
///
/// What is offered, dropped and delayed belongs to the second in which the packet came; what is delivered to the one in
/// which it left. Delays and gaps are those of UDP, in ms.
package struct LineSecond: Sendable, Equatable, Codable {
    /// The packets of one protocol.
    package struct Traffic: Sendable, Equatable, Codable {
        package var offered = 0
        package var offeredBytes = 0
        package var delivered = 0
        package var deliveredBytes = 0
        /// Dropped at random or in bursts.
        package var lost = 0
        /// Dropped by the full queue.
        package var queueFull = 0
        /// Dropped by an outage.
        package var outage = 0

        package init() {}

        /// All that was dropped.
        package var dropped: Int { lost + queueFull + outage }
    }

    /// Mean and most of a figure over the packets that were not dropped.
    package struct Figure: Sendable, Equatable, Codable {
        package var mean = 0.0
        package var maximum = 0.0

        package init(mean: Double = 0, maximum: Double = 0) {
            self.mean = mean
            self.maximum = maximum
        }
    }

    /// Whole seconds since the log's beginning.
    package var second: Int
    package var udp = Traffic()
    package var tcp = Traffic()
    package var other = Traffic()
    /// The constant delay that is set.
    package var baseDelay = 0.0
    /// The wait for what was before it in the queue, without stalls.
    package var queue = Figure()
    /// How long stalls held it back.
    package var stall = Figure()
    /// From offer to delivery, everything together.
    package var delay = Figure()
    /// From the 5th to the 95th percentile of the delays: what a receiver's buffer has to even out.
    package var spread = 0.0
    /// Mean capacity that packets met, kbit/s; `nil` if it is unlimited or no packet came.
    package var capacity: Double?
    /// The longest time without a delivery that touches the second, while something was offered.
    package var gap = 0.0

    package init(second: Int) { self.second = second }

    /// kbit/s that UDP offered.
    package var offeredRate: Double { Double(udp.offeredBytes) * 0.008 }
    /// kbit/s of all else that was delivered.
    package var otherRate: Double { Double(tcp.deliveredBytes + other.deliveredBytes) * 0.008 }
}

/// How punctual the emulator was.
package struct LinePunctuality: Sendable, Equatable, Codable {
    /// Deliveries.
    package var packets = 0
    /// Those that came more than ``limit`` too late.
    package var late = 0
    /// The most that one was late, ms.
    package var worst = 0.0

    /// ms.
    package static let limit = 20.0

    package init() {}

    package static func += (left: inout Self, right: Self) {
        left.packets += right.packets
        left.late += right.late
        left.worst = max(left.worst, right.worst)
    }
}

/// Collects the seconds of a direction.
struct LineLog: Sendable {
    private struct Open {
        var line: LineSecond
        var queue: [Double] = []
        var stall: [Double] = []
        var delay: [Double] = []
        var rate: [Double] = []

        mutating func meet(_ encounter: sl_link_encounter?, _ kind: TransportKind, delay: Double) {
            guard let encounter else { return }
            if encounter.rate_kbps > 0 { rate.append(encounter.rate_kbps) }
            guard kind == .udp else { return }
            queue.append(encounter.queue_us / 1_000)
            stall.append(encounter.stall_us / 1_000)
            self.delay.append(delay)
        }
    }

    private let start: Int64
    private var seconds: [Int: Open] = [:]
    /// When the first packet came of which none has been delivered since; `nil` while there is none.
    private var waitingSince: Int64?
    private(set) var punctuality = LinePunctuality()

    init(start: Int64) { self.start = start }

    /// Notes a packet that came, and what the link model made of it.
    mutating func note(
        _ kind: TransportKind, bytes: Int, at time: Int64, base: Double, _ fate: EmulatedLink.Fate,
        _ encounter: sl_link_encounter?
    ) {
        change(time) { open in
            open.line.baseDelay = base
            open.line[kind].offered += 1
            open.line[kind].offeredBytes += bytes
            switch fate {
            case .delivered(let due): open.meet(encounter, kind, delay: Double(due - time) / 1_000)
            case .lost: open.line[kind].lost += 1
            case .queueFull: open.line[kind].queueFull += 1
            case .outage: open.line[kind].outage += 1
            }
        }
        guard kind == .udp else { return }
        if waitingSince == nil { waitingSince = time }
    }

    mutating func deliver(_ kind: TransportKind, bytes: Int, due: Int64, at time: Int64) {
        let late = Double(time - due) / 1_000
        punctuality.packets += 1
        punctuality.worst = max(punctuality.worst, late)
        if late > LinePunctuality.limit { punctuality.late += 1 }
        change(time) {
            $0.line[kind].delivered += 1
            $0.line[kind].deliveredBytes += bytes
        }
        if kind == .udp { endGap(at: time) }
    }

    /// Everything up to a time, in order, also seconds without a packet.
    mutating func finish(at time: Int64) -> [LineSecond] {
        endGap(at: time)
        guard time > start else { return [] }
        return (0..<Int((time - start) / 1_000_000)).map { second in
            seconds[second].map(Self.close) ?? LineSecond(second: second)
        }
    }

    private mutating func endGap(at time: Int64) {
        guard let since = waitingSince else { return }
        waitingSince = nil
        guard time > since, since >= start else { return }
        let gap = Double(time - since) / 1_000
        for second in index(since)...index(time) {
            let change: (inout Open) -> Void = { $0.line.gap = max($0.line.gap, gap) }
            change(&seconds[second, default: Open(line: LineSecond(second: second))])
        }
    }

    private mutating func change(_ time: Int64, _ body: (inout Open) -> Void) {
        guard time >= start else { return }
        let second = index(time)
        body(&seconds[second, default: Open(line: LineSecond(second: second))])
    }

    private func index(_ time: Int64) -> Int { Int((time - start) / 1_000_000) }

    private static func close(_ open: Open) -> LineSecond {
        var line = open.line
        line.queue = figure(open.queue)
        line.stall = figure(open.stall)
        line.delay = figure(open.delay)
        line.spread = percentile(open.delay, 0.95) - percentile(open.delay, 0.05)
        line.capacity = open.rate.isEmpty ? nil : figure(open.rate).mean
        return line
    }

    private static func figure(_ values: [Double]) -> LineSecond.Figure {
        guard !values.isEmpty else { return .init() }
        return .init(mean: values.reduce(0, +) / Double(values.count), maximum: values.max() ?? 0)
    }

    private static func percentile(_ values: [Double], _ share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        return values.sorted()[Int(Double(values.count - 1) * share)]
    }
}

extension LineSecond {
    fileprivate subscript(kind: TransportKind) -> Traffic {
        get {
            switch kind {
            case .udp: udp
            case .tcp: tcp
            case .other: other
            }
        }
        set {
            switch kind {
            case .udp: udp = newValue
            case .tcp: tcp = newValue
            case .other: other = newValue
            }
        }
    }
}
