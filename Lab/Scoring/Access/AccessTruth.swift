// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LineEmulation

/// What was wrong on the lines of a call in each second, from the emulator's records alone.
///
/// Every threshold has a reason in the field's documents and is never adjusted to what the product says. Between a
/// lower and an upper threshold lies what may be called wrong or not: there both answers are right, and are
/// counted apart.
package struct AccessTruth: Sendable {
    /// Something that is wrong on a direction of someone's line.
    package struct Fault: Hashable, Sendable {
        package var cause: Diagnosis.Cause
        package var end: AccessCall.End
        package var direction: NetworkDirection
        package var certainty: Certainty

        package init(
            _ cause: Diagnosis.Cause, _ end: AccessCall.End, _ direction: NetworkDirection,
            _ certainty: Certainty
        ) {
            self.cause = cause
            self.end = end
            self.direction = direction
            self.certainty = certainty
        }
    }

    /// Whether it must be named, or may be.
    package enum Certainty: Sendable {
        case clear
        case borderline
    }

    /// From where on something may be called wrong, and from where on it must be.
    package struct Threshold: Sendable, Equatable {
        package var borderline: Double
        package var clear: Double

        func certainty(_ value: Double) -> Certainty? {
            value >= clear ? .clear : value >= borderline ? .borderline : nil
        }

        func certainty(_ traffic: LineSecond.Traffic) -> Certainty? {
            certainty(Double(traffic.lost + traffic.queueFull) / Double(max(1, traffic.offered)))
        }
    }

    /// kbit/s of UDP that the call sends on lines that lack nothing, measured by the emulator; `nil` if unknown.
    package struct Demand: Sendable, Equatable {
        package var uplink: Double?
        package var downlink: Double?

        package init(uplink: Double? = nil, downlink: Double? = nil) {
            self.uplink = uplink
            self.downlink = downlink
        }
    }

    /// Share of UDP packets over three seconds.
    ///
    /// ITU-T G.1010: below 1 % for video telephony, below 3 % for speech.
    package static let loss = Threshold(borderline: 0.01, clear: 0.03)
    /// ms in the queue, on average.
    ///
    /// ITU-T Y.1541 bounds delay variation at 50 ms; 100 ms are two thirds of what G.114 leaves for the whole
    /// path.
    package static let queue = Threshold(borderline: 50, clear: 100)
    /// Round trip of one line, ms.
    ///
    /// ITU-T G.114: 150 ms one-way for the whole path; here one of two lines takes half of that, or all.
    package static let roundTrip = Threshold(borderline: 150, clear: 300)
    /// ms between early and late packets.
    ///
    /// ITU-T Y.1541: 50 ms. The audio buffer of libwebrtc starts at 80 ms; what exceeds 100 is beyond it.
    package static let spread = Threshold(borderline: 50, clear: 100)
    /// ms without a delivery.
    ///
    /// A second of silence ends a sentence; half of it is a gap that concealment cannot hide.
    package static let gap = Threshold(borderline: 500, clear: 1_000)
    /// Share of what the call sends on lines that lack nothing, below which it is held back.
    ///
    /// Half of the bits are a step of the resolution or of the frame rate less, which one sees; 85 % are what congestion
    /// control leaves of a capacity.
    package static let heldBack = (borderline: 0.85, clear: 0.5)
    /// ms between early and late packets from which on they hold congestion control back.
    ///
    /// The delay-based control of libwebrtc adapts its threshold for the trend of the delay from 6 ms upwards.
    package static let noticedSpread = 6.0
    /// What the congestion control leaves of a capacity that it has found (draft-ietf-rmcat-gcc, 5.5).
    package static let usableShare = 0.85
    /// Seconds after a fault within which recovering is another word for none.
    package static let recovery = 30

    /// By second.
    package let faults: [[Fault]]

    /// Labels the seconds of a call.
    package init(_ lines: [AccessCall.Second], demand: Demand = .init()) {
        var directions: [Path: [LineSecond]] = [:]
        for second in lines {
            directions[Path(second.end, second.direction), default: []].append(second.line)
        }
        let count = directions.values.map(\.count).min() ?? 0
        faults = (0..<count).map { second in
            AccessCall.End.allCases.flatMap { Self.faults(of: $0, second, directions, demand) }
        }
    }

    private struct Path: Hashable {
        var end: AccessCall.End
        var direction: NetworkDirection

        init(_ end: AccessCall.End, _ direction: NetworkDirection) {
            self.end = end
            self.direction = direction
        }

        /// Whether media take it; the other path carries what is said about them.
        var carriesMedia: Bool { (end == .publisher) == (direction == .uplink) }
    }

    private static func faults(
        of end: AccessCall.End, _ second: Int, _ lines: [Path: [LineSecond]], _ demand: Demand
    ) -> [Fault] {
        var found: [Fault] = [], roundTrip = 0.0
        for direction in [NetworkDirection.uplink, .downlink] {
            let path = Path(end, direction)
            guard let seconds = lines[path], seconds.indices.contains(second) else { continue }
            let line = seconds[second]
            roundTrip += line.delay.mean > 0 ? line.delay.mean : line.baseDelay
            let need = direction == .uplink ? demand.uplink : demand.downlink
            let values: [(Diagnosis.Cause, Certainty?)] = [
                (.packetLoss, loss(around: second, in: seconds)),
                (.bandwidth, path.carriesMedia ? bandwidth(line, need) : queue.certainty(line.queue.mean)),
                (.jitter, spread.certainty(line.spread)),
                (.connection, gap.certainty(line.gap)),
            ]
            for (cause, certainty) in values + heldBack(second, path, lines, demand) {
                guard let certainty else { continue }
                // Of what carries no media only silence must be noticed.
                let isClear = certainty == .clear && (path.carriesMedia || cause == .connection)
                found.append(Fault(cause, end, direction, isClear ? .clear : .borderline))
            }
        }
        if let certainty = Self.roundTrip.certainty(roundTrip) {
            found.append(Fault(.latency, end, .both, certainty))
        }
        return found
    }

    /// One packet of a few is no share.
    private static func loss(around second: Int, in seconds: [LineSecond]) -> Certainty? {
        let window = seconds[max(0, second - 1)...min(seconds.count - 1, second + 1)]
        let offered = window.reduce(0) { $0 + $1.udp.offered - $1.udp.outage }
        let dropped = window.reduce(0) { $0 + $1.udp.lost + $1.udp.queueFull }
        guard dropped > 0, offered > 0 else { return nil }
        let certainty = loss.certainty(Double(dropped) / Double(offered))
        return dropped == 1 && certainty == .clear ? .borderline : certainty
    }

    /// What holds back a sender of which far less comes than is wanted, though the line may carry it all by now.
    ///
    /// On a line that has had the capacity for five seconds congestion control takes the variation of the delay for a
    /// queue. For a while after losses, silences and queues it climbs back from those; then these may still be named.
    private static func heldBack(
        _ second: Int, _ path: Path, _ lines: [Path: [LineSecond]], _ demand: Demand
    ) -> [(Diagnosis.Cause, Certainty?)] {
        guard let seconds = lines[path], second >= 4, path.carriesMedia,
            let need = path.direction == .uplink ? demand.uplink : demand.downlink,
            let share = share(second, path, lines, demand, need), share < heldBack.borderline
        else { return [] }
        let reasons = Set(seconds[max(0, second - climb)...second].flatMap { Self.reasons($0, need) })
        let window = seconds[(second - 4)...second], spreads = window.map(\.spread).sorted()
        let hasCapacity = window.allSatisfy { line in
            line.capacity.map { ($0 - line.otherRate) * usableShare >= need } ?? true
        }
        let varies = spreads[2] >= noticedSpread
        let isClear = reasons.isEmpty && hasCapacity && share < heldBack.clear
        return reasons.map { ($0, .borderline) } + (varies ? [(.jitter, isClear ? .clear : .borderline)] : [])
    }

    /// What is offered, as a share of what the call would send; `nil` if the other line holds it back.
    private static func share(
        _ second: Int, _ path: Path, _ lines: [Path: [LineSecond]], _ demand: Demand, _ need: Double
    ) -> Double? {
        func offered(_ seconds: [LineSecond]) -> Double {
            seconds[(second - 4)...second].map(\.offeredRate).reduce(0, +) / 5
        }
        let share = offered(lines[path] ?? []) / need
        guard path.direction == .downlink else { return share }
        guard let sent = lines[Path(.publisher, .uplink)], let whole = demand.uplink, sent.count > second
        else { return nil }
        let arrived = offered(sent) / whole
        return arrived >= heldBack.borderline ? share / min(1, arrived) : nil
    }

    /// What in a second gives congestion control a reason to send less.
    private static func reasons(_ line: LineSecond, _ need: Double) -> [Diagnosis.Cause] {
        let isLost = line.udp.lost + line.udp.queueFull > 1 && loss.certainty(line.udp) == .clear
        return (isLost ? [.packetLoss] : []) + (bandwidth(line, need) == .clear ? [.bandwidth] : [])
            + (line.gap >= gap.borderline ? [.connection] : [])
    }

    /// Seconds that congestion control takes from a tenth of a rate to half of it, at 8 % a second
    /// (draft-ietf-rmcat-gcc, 5.5).
    package static let climb = 20

    private static func bandwidth(_ line: LineSecond, _ need: Double?) -> Certainty? {
        let dropped = Double(line.udp.queueFull) / Double(max(1, line.udp.offered))
        var found = [queue.certainty(line.queue.mean), loss.certainty(dropped)]
        if let capacity = line.capacity {
            let available = capacity - line.otherRate
            if line.offeredRate > available { found.append(.borderline) }
            if let need {
                found.append(available < need ? .clear : available * usableShare < need ? .borderline : nil)
            }
        }
        return found.contains(.clear) ? .clear : found.contains(.borderline) ? .borderline : nil
    }
}

extension AccessTruth {
    /// What is right for an observer in a second.
    package struct Answer: Sendable, Equatable {
        /// Any of them is right.
        package var causes: Set<Diagnosis.Cause>
        /// Of these a subscriber may name any.
        package var sides: Set<NetworkDegradationSource>
        /// Of these a publisher may name any.
        package var directions: Set<NetworkDirection>
        /// Whether something must be named.
        package var isFault: Bool
        /// How many causes hold clearly.
        package var clearCauses: Int

        /// Whether nothing may be named.
        package var isWell: Bool { causes == [.none] }
    }

    /// What is right for someone; seconds that the truth does not have are well.
    package func answer(_ second: Int, to end: AccessCall.End) -> Answer {
        let all = faults.indices.contains(second) ? faults[second] : []
        let relevant = end == .publisher ? all.filter { $0.end == .publisher } : Self.heard(all, by: end)
        let clear = Set(relevant.filter { $0.certainty == .clear }.map(\.cause))
        var answer = Answer(
            causes: Set(relevant.map(\.cause)), sides: [], directions: Set(relevant.map(\.direction)),
            isFault: !clear.isEmpty, clearCauses: clear.count)
        let isLocal = relevant.contains { $0.end == end }
        let isRemote = relevant.contains { $0.end != end }
        if isLocal { answer.sides.insert(.local) }
        if isRemote { answer.sides.insert(.remote) }
        if isLocal, isRemote { answer.sides.insert(.bothOrUnclear) }
        if answer.directions.isSuperset(of: [.uplink, .downlink]) { answer.directions.insert(.both) }
        if !answer.isFault {
            answer.causes.insert(.none)
            answer.sides.insert(.none)
        }
        return answer
    }

    /// What reaches a subscriber: all of the own line, and what the publisher's does to the media.
    private static func heard(_ faults: [Fault], by end: AccessCall.End) -> [Fault] {
        faults.filter { $0.end == end || $0.end == .publisher }.compactMap { fault in
            guard fault.end == .publisher, fault.direction != .uplink else { return fault }
            guard fault.cause == .latency || fault.cause == .connection else { return nil }
            // The delay of the path, which the other end may know or not.
            return Fault(fault.cause, fault.end, fault.direction, .borderline)
        }
    }
}
