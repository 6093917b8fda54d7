// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import Hummingbird
import SessionWire

extension HistoryRoutes {
    /// Longest time that is looked at.
    private static let longestTime: Duration = .seconds(92 * 86_400)
    /// The time that is looked at where no one says which.
    private static let usualTime: Duration = .seconds(7 * 86_400)

    /// Adds the paths of what is of no single session.
    func addFleet(to router: Router<BasicRequestContext>) {
        router.add(.fleet, fleet)
        router.add(.fleetComparison, comparison)
    }

    private func fleet(_ call: APICall) async throws -> Response {
        try await read(call) { _, reader in
            var query = try Self.query(reader)
            let isDaily = try reader.word(.by) == "day"
            query.period = .seconds(isDaily ? 86_400 : 3600)
            query.worstLimit = try reader.limit() ?? query.worstLimit
            let wantsCSV = try reader.wantsCSV()
            let fleet = try await store().fleet(query)
            guard !wantsCSV else { return .text(FleetCSV.text(fleet), "text/csv; charset=utf-8") }
            return try .tagged(fleet, call.request)
        }
    }

    private func comparison(_ call: APICall) async throws -> Response {
        try await read(call) { _, reader in
            let after = try Self.query(reader)
            let length = after.to - after.from
            // What was before, for as long, where no one says which.
            var before = FleetQuery(from: max(0, after.from - length), to: after.from)
            before.from = try reader.time(.beforeFrom) ?? before.from
            before.to = try reader.time(.beforeTo) ?? before.to
            try Self.check(before)
            let comparison = FleetComparison(
                before: try await store().share(before), after: try await store().share(after))
            return try .tagged(comparison, call.request)
        }
    }

    private static func query(_ reader: QueryReader) throws -> FleetQuery {
        let end = try reader.time(.to) ?? Date().unixTime
        let query = FleetQuery(from: try reader.time(.from) ?? max(0, end - usualTime.milliseconds), to: end)
        try check(query)
        return query
    }

    private static func check(_ query: FleetQuery) throws(APIError) {
        guard query.from >= 0, query.from < query.to, query.to - query.from <= longestTime.milliseconds else {
            throw APIError(
                .badRequest, ServerError(.malformed, "a time begins before it ends, and has 92 days at most"))
        }
    }
}

/// A fleet as comma-separated values: what each line is of, and its minutes.
enum FleetCSV {
    static func text(_ fleet: Fleet) -> String {
        var lines = ["time,of,name,minutes,bad"]
        for period in fleet.periods {
            let time = "\(Int64(period.time))"
            lines.append("\(time),all,,\(period.count.minutes),\(period.count.bad)")
            lines += period.causes.sorted.map { "\(time),cause,\($0.name),,\($1)" }
            lines += period.sides.sorted.map { "\(time),side,\($0.name),,\($1)" }
        }
        for (of, groups, more) in [
            ("client", fleet.clients, fleet.more.clients), ("version", fleet.versions, fleet.more.versions),
            ("turn", fleet.turn, fleet.more.turn), ("network", fleet.networks, fleet.more.networks),
        ] {
            lines += groups.map {
                ",\(of),\(SampleCSV.text($0.kind)),\($0.count.minutes),\($0.count.bad)"
            }
            // A line of another sort: a version may be called “more”.
            if let more { lines.append(",\(of)More,\(more.groups),\(more.count.minutes),\(more.count.bad)") }
        }
        lines += fleet.worst.map {
            ",session,\(SampleCSV.text($0.session)),\($0.count.minutes),\($0.count.bad)"
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }
}
