// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

/// Whether a call was what its schedule says, by the clock and the emulated networks' counters alone.
///
/// What the product said plays no part, so that a call cannot be thrown away for being judged wrongly.
package struct ScheduleCheck: Sendable {
    /// Seconds that a step may come late.
    static let stepTolerance = 0.3
    /// Seconds that the machine may be static.
    static let longestStall = 0.15
    /// Share of rings that may be late.
    static let lateShare = 0.01

    let timeline: Timeline
    let scenario: Scenario

    /// Why the call should not count, in words; empty if it should.
    package static func objections(_ scenario: Scenario, _ timeline: Timeline) -> [String] {
        let check = ScheduleCheck(timeline: timeline, scenario: scenario)
        return check.clock() + check.spans().flatMap(check.network)
    }

    private func clock() -> [String] {
        var found: [String] = []
        if timeline.stepTimes.count != scenario.steps.count {
            found.append("\(timeline.stepTimes.count) of \(scenario.steps.count) steps were taken")
        }
        for (step, time) in zip(scenario.steps, timeline.stepTimes)
        where time - step.time > Self.stepTolerance {
            found.append("the step at \(Int(step.time)) s came \(Self.text(time - step.time)) s late")
        }
        guard let punctuality = timeline.punctuality else { return found }
        if punctuality.worst > Self.longestStall {
            found.append("the machine stood still for \(Int(punctuality.worst * 1000)) ms")
        }
        if Double(punctuality.lateRings) > Self.lateShare * Double(max(1, punctuality.rings)) {
            found.append("the machine was late \(punctuality.lateRings) of \(punctuality.rings) times")
        }
        return found
    }

    /// What a link should do from one step to the next.
    private struct LinkSpan {
        var party: Scenario.Party
        var direction: NetworkConditions.Direction
        var link: NetworkConditions.Link
        var start: Double
        var end: Double
        var place: String { "\(party.rawValue)'s \(direction.rawValue)link from \(Int(start)) s on" }
    }

    private func spans() -> [LinkSpan] {
        Scenario.Party.allCases.flatMap { party in
            NetworkConditions.Direction.allCases.flatMap { direction in
                var spans = [
                    LinkSpan(
                        party: party, direction: direction, link: .init(), start: 0, end: scenario.duration)
                ]
                for step in scenario.steps {
                    guard case .network(party, let conditions) = step.action else { continue }
                    spans[spans.count - 1].end = step.time
                    spans.append(
                        LinkSpan(
                            party: party, direction: direction, link: conditions[direction], start: step.time,
                            end: scenario.duration))
                }
                return spans
            }
        }
    }

    private func network(_ span: LinkSpan) -> [String] {
        guard let done = done(span) else { return ["\(span.place): no counters"] }
        if span.link.isOut {
            return done.sent <= 5 && done.droppedByOutage > 0 ? [] : ["\(span.place): there was no outage"]
        }
        return loss(span, done) + rate(span, done)
    }

    private func loss(_ span: LinkSpan, _ done: Timeline.Counters) -> [String] {
        let wanted = (span.link.loss + span.link.burstLoss) / 100
        guard done.offered > 0 else { return wanted == 0 ? [] : ["\(span.place): no packets"] }
        let found = Double(done.droppedByLoss) / Double(done.offered)
        if wanted == 0 { return found == 0 ? [] : ["\(span.place): packets were lost before their time"] }
        // Packets of a burst are lost together, so that they are weaker evidence.
        let grouping = span.link.burstLoss > 0 ? span.link.burstLength * 2 : 1
        let spread = (wanted * (1 - wanted) * grouping / Double(done.offered)).squareRoot()
        guard abs(found - wanted) > 4 * spread + 0.003 else { return [] }
        return ["\(span.place): \(Self.text(found * 100)) % lost instead of \(Self.text(wanted * 100)) %"]
    }

    private func rate(_ span: LinkSpan, _ done: Timeline.Counters) -> [String] {
        guard let rate = span.link.rate else { return [] }
        let seconds = span.end - span.start
        let carried = Self.kilobits(done.bytesSent, done.sent) / seconds
        if carried > rate * 1.1 { return ["\(span.place): \(Int(carried)) kbps through \(Int(rate))"] }
        let isHarmless = !scenario.spans.contains { $0.bob.isFault || $0.alice.isFault }
        if isHarmless {
            let share = Double(done.droppedByQueue) / Double(max(1, done.offered))
            return share < 0.005 ? [] : ["\(span.place): the capacity did not suffice"]
        }
        var before = span
        (before.start, before.end) = (span.start - 3, span.start)
        guard let offered = self.done(before) else { return ["\(span.place): no counters before"] }
        let demand = Self.kilobits(offered.bytesOffered, offered.offered) / 3
        return demand > rate
            ? []
            : ["\(span.place): only \(Int(demand)) kbps were sent before, less than the \(Int(rate)) left"]
    }

    /// What a link did during a span: the difference of its counters.
    private func done(_ span: LinkSpan) -> Timeline.Counters? {
        let counters = timeline.counters.filter {
            $0.party == span.party && $0.direction == span.direction.rawValue
        }
        guard let first = counters.last(where: { $0.time <= span.start + Self.stepTolerance }),
            var last = counters.last(where: { $0.time <= span.end + Self.stepTolerance }),
            last.time > first.time
        else { return nil }
        last.offered -= min(last.offered, first.offered)
        last.bytesOffered -= min(last.bytesOffered, first.bytesOffered)
        last.sent -= min(last.sent, first.sent)
        last.bytesSent -= min(last.bytesSent, first.bytesSent)
        last.droppedByLoss -= min(last.droppedByLoss, first.droppedByLoss)
        last.droppedByQueue -= min(last.droppedByQueue, first.droppedByQueue)
        last.droppedByOutage -= min(last.droppedByOutage, first.droppedByOutage)
        return last
    }

    /// Kilobits on the line, 28 bytes of IP and UDP header a packet included.
    private static func kilobits(_ bytes: UInt64, _ packets: UInt64) -> Double {
        (Double(bytes) + 28 * Double(packets)) * 8 / 1000
    }

    private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
