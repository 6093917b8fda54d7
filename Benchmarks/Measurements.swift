// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import WebRTCStats

/// Reading JSON, beside Foundation.
func parseRows(_ samples: Samples) throws -> [Row] {
    let data = Data(samples.json)
    let size = String(format: "%.1f KB", Double(samples.json.count) / 1000)
    let own = try Stopwatch.microseconds { keep(try StatsReport.parse(samples.json)) }
    let serialization = try Stopwatch.microseconds(calls: 50) {
        keep(try JSONSerialization.jsonObject(with: data))
    }
    let decoder = try Stopwatch.microseconds(calls: 50) {
        keep(try JSONDecoder().decode(StatsReport.self, from: data))
    }
    let parsed = try StatsReport.parse(samples.json).report
    let writing = Stopwatch.microseconds { keep(parsed.json()) }
    return [
        Row(name: "read a report of \(size), \(parsed.entryCount) entries", microseconds: own, goal: 45),
        Row(name: "  the same by JSONSerialization (into dictionaries)", microseconds: serialization),
        Row(name: "  the same by JSONDecoder (into a StatsReport)", microseconds: decoder),
        Row(name: "write it", microseconds: writing),
    ]
}

/// Observing reports as they come in a call: each tick once, in order, by a fresh observer.
func observationRows(_ samples: Samples) -> [Row] {
    let publisher = perTick(samples.publisher) { reports in
        var observer = PublisherObserver()
        for report in reports { keep(observer.handle(report)) }
    }
    let subscriber = perTick(samples.subscriber) { reports in
        var observer = SubscriberObserver()
        for report in reports { keep(observer.handle(report)) }
    }
    return [
        Row(
            name: "observe a publisher's report, \(entries(samples.publisher)) entries",
            microseconds: publisher, goal: 10),
        Row(
            name: "observe a subscriber's report, \(entries(samples.subscriber)) entries",
            microseconds: subscriber,
            goal: 10),
    ]
}

private func perTick(_ reports: [StatsReport], _ body: ([StatsReport]) -> Void) -> Double {
    Stopwatch.microseconds(calls: 50) { body(reports) } / Double(max(1, reports.count))
}

private func entries(_ reports: [StatsReport]) -> Int { reports.last?.entryCount ?? 0 }
