// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What a client's telemetry builds on: the last sample or report of each leg.
///
/// The server keeps one for each client. Messages arrive in order and each once; what builds on something that the
/// server does not have, because it refused it or was started again, is refused with ``ServerError/Code/lostBase``,
/// and the client's next event of each leg is whole again.
package struct TelemetryBases: Sendable {
    private enum Base: Sendable {
        case sample(SampleBase)
        case report(ReportRebuilder)

        var weight: Int {
            switch self {
            case .sample: 64
            case .report(let report): report.weight
            }
        }
    }

    /// Most that all bases of a client may weigh: a sample 64, a report what ``WebRTCStats/ReportRebuilder`` says.
    package static let limit = 1 << 16

    private var bases: [LegName: Base] = [:]
    private var weight = 0

    /// Knows nothing yet.
    package init() {}

    /// Legs that have a base.
    package var count: Int { bases.count }

    /// Completes an event by what the one before was; one that is whole is what the next builds on.
    ///
    /// - Throws: ``ServerError`` if it builds on something that is not there, or is not in order.
    package mutating func complete(_ event: TelemetryEvent) throws(ServerError) -> MeasuredEvent {
        switch event.content {
        case .report(let report): return MeasuredEvent(event, .report(report, judged: nil))
        case .sample(let sample, nil): return MeasuredEvent(event, .sample(sample))
        case .sample(let sample, let number?):
            drop(event.leg)
            keep(.sample(SampleBase(number: number, sample)), of: event.leg)
            return MeasuredEvent(event, .sample(sample))
        case .figures(let figures, let events):
            var base = if case .sample(let old)? = drop(event.leg) { old } else { SampleBase() }
            guard let sample = base.add(figures, events) else { throw .lostBase }
            keep(.sample(base), of: event.leg)
            return MeasuredEvent(event, .sample(sample))
        case .changes(let changes):
            var rebuilder = if case .report(let old)? = drop(event.leg) { old } else { ReportRebuilder() }
            guard let report = rebuilder.add(changes) else {
                throw rebuilder.isTooLarge ? ServerError.tooLargeReport : ServerError.lostBase
            }
            keep(.report(rebuilder), of: event.leg)
            return MeasuredEvent(event, .report(report, judged: nil))
        }
    }

    /// Takes a leg's base out of its place, so that it changes where it is.
    @discardableResult
    private mutating func drop(_ leg: LegName) -> Base? {
        let old = bases.removeValue(forKey: leg)
        weight -= old?.weight ?? 0
        return old
    }

    private mutating func keep(_ base: Base, of leg: LegName) {
        guard weight + base.weight <= Self.limit else { return }
        weight += base.weight
        bases[leg] = base
    }

    /// Forgets the legs that are over.
    package mutating func forget(where isOver: (LegName) -> Bool) {
        for (leg, base) in bases where isOver(leg) {
            bases[leg] = nil
            weight -= base.weight
        }
    }
}

/// The last sample of a leg, as both ends know it.
private struct SampleBase: Sendable {
    private var number: Int64 = 0
    private var last: (sample: StreamSample, codes: SampleCodes)?

    /// Knows nothing yet.
    init() {}

    /// Begins with a whole sample.
    init(number: Int64, _ sample: StreamSample) {
        self.number = number
        var rest = sample
        rest.events = nil
        last = (rest, SampleCodes(sample))
    }

    /// The sample that the figures lead to; `nil` if they are not in order, or the one before is not known.
    mutating func add(_ figures: [Int64], _ events: [StreamEvent]?) -> StreamSample? {
        guard let number = figures.first, number > 1, number - 1 == self.number, let last,
            let codes = last.codes.adding(Array(figures.dropFirst()))
        else { return nil }
        self.number = number
        var sample = codes.written(into: last.sample, since: last.codes)
        self.last = (sample, codes)
        sample.events = events
        return sample
    }
}

/// Writes a client's samples: of each leg the first as it is, then what has changed.
package struct TelemetryWriter: Sendable {
    private struct Base: Sendable {
        var number: Int64
        var rest: StreamSample
        var codes: SampleCodes
    }

    /// Most legs that are remembered; the samples of others are whole.
    private static let limit = 256
    private var bases: [LegName: Base] = [:]

    /// Has written nothing yet.
    package init() {}

    /// The event as it is sent.
    package mutating func write(_ event: TelemetryEvent) -> TelemetryEvent {
        guard let sample = event.wholeSample else { return event }
        var event = event
        let codes = SampleCodes(sample)
        let rest = SampleCodes.rest(of: sample)
        let old = bases[event.leg]
        let number = (old?.number ?? 0) + 1
        if old == nil, bases.count >= Self.limit { bases = [:] }
        bases[event.leg] = Base(number: number, rest: rest, codes: codes)
        if let old, old.rest == rest {
            event.content = .figures([number] + codes.changes(since: old.codes), events: sample.events)
        } else {
            event.content = .sample(codes.written(into: sample), number: number)
        }
        return event
    }

    /// Begins again with whole samples: the other end may not have got the last.
    package mutating func restart() { bases = [:] }
}

extension ServerError {
    /// Telemetry builds on something that the server does not have.
    package static let lostBase = ServerError(
        .lostBase, "the telemetry builds on some that has not arrived: the next has to be whole")
    /// A whole report of changes is larger than any may be.
    package static let tooLargeReport = ServerError(
        .malformed,
        "a report of changes has \(ReportRebuilder.objectLimit) statistics at most, and a weight of "
            + "\(ReportRebuilder.weightLimit): leave some out, or send it as \"report\"")
}
