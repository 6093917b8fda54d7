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

/// What a live call's report costs from the engine's members on: names known, values as the engine has them.
func nativeRows(_ samples: Samples) -> [Row] {
    let objects = NativeObject.all(in: samples.engine)
    let building = Stopwatch.microseconds { keep(NativeObject.build(objects)) }
    let both = Stopwatch.microseconds {
        var observer = PublisherObserver()
        keep(observer.handle(NativeObject.build(objects)))
    }
    let received = NativeObject.all(in: samples.received)
    let ticks = (0..<20).map { NativeObject.build(received, after: Double($0) * 1000) }
    let observing = perTick(ticks) { reports in
        var observer = SubscriberObserver()
        for report in reports { keep(observer.handle(report)) }
    }
    let count = objects.reduce(0) { $0 + $1.members.count }
    return [
        Row(
            name: "observe a native subscriber's report, \(received.count) objects", microseconds: observing,
            goal: 10),
        Row(name: "native report from \(objects.count) objects, \(count) members", microseconds: building),
        Row(name: "  the same into an observation", microseconds: both),
    ]
}

/// One object of the engine's statistics, as it comes over the C ABI.
struct NativeObject {
    var type: String
    var id: String
    var timestamp: Double
    var members: [(StatsMemberKey, StatsValue)]

    /// The objects that a report was made of.
    static func all(in report: StatsReport) -> [NativeObject] {
        var objects: [NativeObject] = []
        report.forEachEntry { type, entry in
            let members = entry.members.map { (StatsReportBuilder.key(for: $0.name), $0.value) }
            objects.append(
                NativeObject(type: type, id: entry.id, timestamp: entry.timestamp, members: members))
        }
        return objects
    }

    /// The report that objects make.
    ///
    /// - Parameter delay: How much later it is than the objects, ms.
    static func build(_ objects: [NativeObject], after delay: Double = 0) -> StatsReport {
        var builder = StatsReportBuilder()
        for object in objects {
            builder.begin(type: object.type, id: object.id, timestamp: object.timestamp + delay)
            for (key, value) in object.members { builder.set(key, value) }
            builder.end()
        }
        return builder.finish()
    }
}
