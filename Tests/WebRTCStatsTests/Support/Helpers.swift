// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing
import WebRTCStats

/// A report of one entry, parsed; fails the test if there is not exactly one.
func parseEntry<Entry>(
    _ json: String, _ list: KeyPath<StatsReport, [Entry]>, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Entry {
    let parsed = try StatsReport.parse(Array("[\(json)]".utf8))
    #expect(parsed.report[keyPath: list].count == 1, sourceLocation: sourceLocation)
    return try #require(parsed.report[keyPath: list].first, sourceLocation: sourceLocation)
}

func parse(_ json: String, limits: ParseLimits = .default) throws(StatsParseError) -> ParsedStatsReport {
    try StatsReport.parse(Array(json.utf8), limits: limits)
}

extension StatsReport {
    /// Every entry by its id, with its type.
    var entriesByID: [String: (type: String, entry: any StatsEntry)] {
        var found: [String: (type: String, entry: any StatsEntry)] = [:]
        forEachEntry { type, entry in found[entry.id] = (type, entry) }
        return found
    }
}
