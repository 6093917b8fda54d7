// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

extension SessionReport {
    /// Most samples in one report: four people of whom each sees the others, for nearly an hour.
    static let sampleLimit = 50_000
    /// Most events in one report.
    static let eventLimit = 10_000

    /// Gathers the content of a report; `nil` if there is no such session.
    ///
    /// - Parameters:
    ///   - query: Which part of the session; its limit and cursor count for nothing.
    ///   - showsNames: Whether names of people stand in it, if they are kept.
    ///   - showsReports: Whether it may include what raw reports contain.
    static func make(
        _ query: WindowQuery, from store: any CallHistory, showsNames: Bool, showsReports: Bool
    ) async throws -> SessionReport? {
        guard let summary = try await store.summary(session: query.session, showsNames: showsNames) else {
            return nil
        }
        let samples = try await all(upTo: sampleLimit, query, store.samples)
        let events = try await all(upTo: eventLimit, query, store.timeline)
        let reports = showsReports ? try await store.lastReports(query) : []
        var report = SessionReport(summary: summary, samples: samples, events: events, reports: reports)
        if summary.overview.endTime == nil {
            report.notes.append("The call was still going on when this page was made.")
        }
        if query.isPart {
            report.notes.append("The page is about a part of the call only, as it was asked for.")
        }
        if samples.count == sampleLimit || events.count == eventLimit {
            report.notes.append(
                "The call is longer than a page can show: what came after \(sampleLimit) samples or \(eventLimit) "
                    + "events is missing. Ask for a part of it with “from” and “to”.")
        }
        if reports.isEmpty {
            report.notes.append(
                "The server received what the clients computed each second, not their whole statistics: codecs, "
                    + "encoders and the kinds of network addresses are known only where raw reports are kept."
            )
        }
        return report
    }

    /// Page after page, as a long call comes.
    private static func all<Item>(
        upTo limit: Int, _ query: WindowQuery, _ page: (WindowQuery) async throws -> StorePage<Item>?
    ) async throws -> [Item] {
        var query = query
        var found: [Item] = []
        query.cursor = nil
        while found.count < limit {
            query.limit = min(5000, limit - found.count)
            guard let next = try await page(query), !next.items.isEmpty else { break }
            found += next.items
            query.cursor = next.next
            if next.items.count < query.limit { break }
        }
        return found
    }
}

extension WindowQuery {
    fileprivate var isPart: Bool {
        from != nil || to != nil || connection != nil || participant != nil || stream != nil || role != nil
            || observer != nil
    }
}
