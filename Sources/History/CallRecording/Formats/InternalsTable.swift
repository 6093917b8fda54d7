// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// The series of a peer connection, turned back into the reports they were made of.
///
/// The page adds one value to each series of an entry whenever it polls. Entries of the own end carry the time of the
/// poll, those about the remote end the time of an RTCP packet. So the times of the former are the reports; an
/// entry's values then belong to the reports one after the other, each to the first one that is not earlier.
struct InternalsTable {
    /// Times closer together than this, in ms, belong to one poll.
    private static let pollSpread = 50.0
    /// The same where times had to be assumed: polls are a second apart, but not exactly.
    private static let untimedPollSpread = 400.0

    private struct Entry {
        var type: String
        var times: [Double]
        var isTimed: Bool
        var members: [InternalsSeries]
    }

    /// What a series gives the reports; a class, since it would be copied for each of them.
    private final class Column {
        private let key: StatsMemberKey
        private let values: [StatsValue]
        /// Which of the entry's values the first one belongs to.
        private let offset: Int

        init(_ series: InternalsSeries, offset: Int) {
            key = StatsReportBuilder.key(for: series.member)
            values = series.values
            self.offset = offset
        }

        /// Gives a builder the value that belongs to one of the entry's, if there is one.
        func give(_ index: Int, to builder: inout StatsReportBuilder) {
            let place = index - offset
            guard values.indices.contains(place) else { return }
            let value = values[place]
            if case .null = value { return }
            builder.set(key, value)
        }
    }

    private var entries: [String: Entry] = [:]

    init(_ stats: [StatsMember], _ context: inout LineContext) {
        var series: [String: [InternalsSeries]] = [:]
        for member in stats {
            let one = InternalsSeries(name: member.name, member.value, depth: context.limits.depth)
            guard let one, !one.values.isEmpty else { continue }
            guard series.count < context.limits.entries || series[one.id] != nil else {
                context.note(.limitExceeded, "There are more than \(context.limits.entries) entries.")
                continue
            }
            series[one.id, default: []].append(one)
        }
        for (id, members) in series {
            let own = members.first { $0.member == "timestamp" }
            let times = own.map(Self.times) ?? Self.evenTimes(of: members)
            guard !times.isEmpty else { continue }
            entries[id] = Entry(
                type: members[0].type, times: times, isTimed: own != nil, members: members)
        }
    }

    /// The reports, in the order of time.
    func reports(of id: String, atMost limit: Int, _ context: inout LineContext) -> [RecordedReport] {
        let local = entries.values.filter { !$0.type.hasPrefix("remote-") }
        let isTimed = entries.values.allSatisfy(\.isTimed)
        var polls = Self.polls(
            of: local.flatMap(\.times), spread: isTimed ? Self.pollSpread : Self.untimedPollSpread)
        if polls.count > limit {
            context.note(.limitExceeded, "There are more than \(context.limits.reports) reports.")
            polls.removeLast(polls.count - max(limit, 0))
        }
        var builders = [StatsReportBuilder](repeating: StatsReportBuilder(), count: polls.count)
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) {
            Self.fill(&builders, polls, id, entry)
        }
        return polls.indices.map { index in
            RecordedReport(time: polls[index], peerConnection: id, report: builders[index].finish())
        }
    }

    /// When an entry's values were taken, as it says itself.
    private static func times(of own: InternalsSeries) -> [Double] {
        let times = own.values.map { $0.number ?? 0 }
        // Some versions write microseconds.
        return times.map { $0 >= 1e14 ? $0 / 1000 : $0 }.filter { LineContext.isTime($0) }
    }

    /// The same where it does not say (Chromium before 117): even steps from its first value to its last.
    private static func evenTimes(of members: [InternalsSeries]) -> [Double] {
        guard let longest = members.max(by: { $0.values.count < $1.values.count }), let start = longest.start
        else { return [] }
        let count = longest.values.count
        let step = count > 1 ? ((longest.end ?? start) - start) / Double(count - 1) : 0
        return (0..<count).map { start + Double($0) * max(step, 0) }
    }

    /// One time per poll: the last of the times that lie together.
    private static func polls(of times: [Double], spread: Double) -> [Double] {
        var polls: [Double] = []
        var first = -Double.infinity
        for time in times.sorted() {
            if time - first <= spread {
                polls[polls.count - 1] = time
            } else {
                polls.append(time)
                first = time
            }
        }
        return polls
    }

    private static func fill(
        _ builders: inout [StatsReportBuilder], _ polls: [Double], _ id: String, _ entry: Entry
    ) {
        let columns = entry.members.filter { $0.member != "timestamp" }.map { series in
            Column(series, offset: offset(of: series, in: entry.times))
        }
        var poll = 0
        for (index, time) in entry.times.enumerated() {
            while poll < polls.count, polls[poll] < time { poll += 1 }
            guard poll < polls.count else { return }
            builders[poll].begin(type: entry.type, id: id, timestamp: time)
            for column in columns { column.give(index, to: &builders[poll]) }
            builders[poll].end()
            poll += 1
        }
    }

    /// Which of an entry's values a member's first one belongs to: members may come later than their entry.
    private static func offset(of series: InternalsSeries, in times: [Double]) -> Int {
        let missing = times.count - series.values.count
        guard missing > 0, let start = series.start else { return 0 }
        // Start times are written in whole ms.
        let index = times.firstIndex { $0 >= start - 1 } ?? 0
        return min(index, missing)
    }
}
