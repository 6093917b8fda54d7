// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

extension SessionReport {
    /// Most samples in one report: four people of whom each sees the others, for nearly an hour.
    static let sampleLimit = 50_000
    /// Most publications and subscriptions in one report: a page of more no one reads, and it takes long to make.
    static let flowLimit = 500
    /// Most events in one report.
    static let eventLimit = 10_000
    /// Most bytes that the events in one report have, about.
    private static let eventBytes = 8 << 20

    /// Gathers the content of a report; `nil` if there is no such session.
    ///
    /// - Parameters:
    ///   - query: Which part of the session; its limit and cursor count for nothing.
    ///   - showsNames: Whether names of people stand in it, if they are kept.
    ///   - showsReports: Whether it may include what raw reports contain.
    static func make(
        _ query: WindowQuery, from store: any HistoryStore, showsNames: Bool, showsReports: Bool
    ) async throws -> SessionReport? {
        guard var summary = try await store.summary(session: query.session, showsNames: showsNames) else {
            return nil
        }
        var start = query
        start.cursor = nil
        let samples = try await samples(start, from: store)
        let events = try await events(start, from: store)
        let reports = showsReports ? try await store.lastReports(query) : []
        let flowCount = summary.flows.count
        summary.flows = Array(summary.flows.prefix(flowLimit))
        let shown = Set(summary.flows.map(\.flow))
        var report = SessionReport(
            summary: summary, samples: samples.items.filter { shown.contains($0.flow) },
            events: events.items, reports: reports.filter { shown.contains($0.flow) })
        report.isTruncated = samples.isCut || events.isCut
        if summary.overview.endTime == nil {
            report.notes.append("The call had not ended when this page was made.")
        }
        if query.isPart {
            report.notes.append("The page is about a part of the call only, as it was asked for.")
        }
        if flowCount > flowLimit {
            report.notes.append(
                "Of the call's \(flowCount) publications and subscriptions the first \(flowLimit) are shown. "
                    + "Ask for a part of it with “connection” or “stream”.")
        }
        if report.isTruncated {
            report.notes.append(
                "The call is longer than a page can show: what came after \(samples.items.count) samples or "
                    + "\(events.items.count) events is missing. Ask for a part of it with “from” and “to”.")
        }
        if reports.isEmpty {
            report.notes.append(
                "The server received what the clients computed each second, not their whole statistics: codecs, "
                    + "encoders and the kinds of network addresses are known only where raw reports are kept."
            )
        }
        return report
    }

    /// Page after page from a query's cursor on, as a long call comes.
    ///
    /// A page may end early because of its size: only one with nothing on it is the last.
    private static func all<Item>(
        upTo limit: Int, _ query: WindowQuery, weighing weigh: (Item) -> Int = { _ in 0 },
        _ page: (WindowQuery) async throws -> StorePage<Item>?
    ) async throws -> Gathered<Item> {
        var query = query
        var (found, bytes): ([Item], Int) = ([], 0)
        while found.count < limit, bytes < eventBytes {
            query.limit = min(5000, limit - found.count)
            guard let next = try await page(query), !next.items.isEmpty else {
                return Gathered(items: found, cursor: query.cursor, isCut: false)
            }
            found += next.items
            bytes += next.items.reduce(0) { $0 + weigh($1) }
            query.cursor = next.next
        }
        return Gathered(items: found, cursor: query.cursor, isCut: true)
    }

    /// Samples from a query's cursor on.
    static func samples(
        _ query: WindowQuery, from store: any HistoryStore, upTo limit: Int = sampleLimit
    ) async throws -> Gathered<SampleEntry> { try await all(upTo: limit, query, store.samples) }

    /// Events from a query's cursor on.
    private static func events(
        _ query: WindowQuery, from store: any HistoryStore
    ) async throws -> Gathered<TimelineEntry> {
        try await all(upTo: eventLimit, query, weighing: \.weight, store.timeline)
    }
}

/// What was read, page after page.
struct Gathered<Item> {
    var items: [Item]
    /// Where it ended.
    var cursor: PageCursor?
    /// Whether there may be more.
    var isCut: Bool
}

extension WindowQuery {
    fileprivate var isPart: Bool {
        from != nil || to != nil || connection != nil || participant != nil || stream != nil || role != nil
            || observer != nil
    }
}
