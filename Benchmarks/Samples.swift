// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import WebRTCStats

/// Recorded reports to measure with.
struct Samples {
    /// A report of about 26 KB as a browser sends it.
    var json: [UInt8] { texts.last ?? [] }
    /// Reports like it, of one second after the other.
    var texts: [[UInt8]]
    /// A publisher's call, a report a second.
    var publisher: [StatsReport]
    /// A subscriber's call, a report a second.
    var subscriber: [StatsReport]

    /// A sender's report of libwebrtc itself: audio and three layers of video.
    var engine: StatsReport
    /// A receiver's report of libwebrtc itself, 31 objects.
    var received: StatsReport

    /// Those of the tests, run from the package's folder.
    static func recorded() throws -> Samples {
        try Samples(directory: URL(filePath: "Tests/Fixtures/getstats"))
    }

    private init(directory: URL) throws {
        engine = try Self.report(directory.appending(path: "sender.json"))
        received = try Self.report(directory.appending(path: "receiver.json"))
        let (publisher, publisherJSON) = try Self.call(directory.appending(path: "chromium_pub.json"))
        let (subscriber, subscriberJSON) = try Self.call(directory.appending(path: "chromium_sub.json"))
        self.publisher = publisher
        self.subscriber = subscriber
        texts = try zip(publisherJSON, subscriberJSON).map { try Self.large($0 + $1) }
        guard !texts.isEmpty else { throw NoReports(file: directory) }
    }

    private static func report(_ file: URL) throws -> StatsReport {
        try StatsReport.parse(Array(Data(contentsOf: file))).report
    }

    /// One client that does both has the entries of both in one report; repeated under other ids up to the
    /// size.
    private static func large(_ originals: [[String: Any]]) throws -> [UInt8] {
        var entries: [[String: Any]] = []
        var size = 0
        var round = 0
        while size < 26_000 {
            for var entry in originals where size < 26_000 {
                // The first ones stay what others refer to.
                if round > 0 { entry["id"] = "\(entry["id"] ?? "")\(round)" }
                size += try JSONSerialization.data(withJSONObject: entry).count + 1
                entries.append(entry)
            }
            round += 1
        }
        // Written again: JSONSerialization shuffles members, and browsers put id, timestamp and type first.
        let shuffled = Array(try JSONSerialization.data(withJSONObject: entries))
        return try StatsReport.parse(shuffled).report.json()
    }

    /// The reports of a recorded call, and their entries as they were.
    private static func call(_ file: URL) throws -> ([StatsReport], [[[String: Any]]]) {
        let ticks = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]] ?? []
        let entries = ticks.compactMap { $0["stats"] as? [[String: Any]] }
        let reports = try entries.map { entries in
            try StatsReport.parse(Array(JSONSerialization.data(withJSONObject: entries))).report
        }
        return (reports, entries)
    }

    struct NoReports: Error, CustomStringConvertible {
        var file: URL
        var description: String { "there are no reports in \(file.path)" }
    }
}
