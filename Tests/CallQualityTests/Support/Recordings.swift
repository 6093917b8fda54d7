// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import WebRTCStats

/// The recorded reports in Tests/Fixtures/getstats.
enum Recordings {
    static func report(_ name: String) throws -> StatsReport {
        try StatsReport.parse(Array(try data(name))).report
    }

    /// The reports of a file with a report a second.
    static func series(_ name: String) throws -> [StatsReport] {
        let samples = try JSONSerialization.jsonObject(with: data(name)) as? [[String: Any]] ?? []
        return try samples.map { sample in
            let text = try JSONSerialization.data(withJSONObject: sample["stats"] ?? [])
            return try StatsReport.parse(Array(text)).report
        }
    }

    private static func data(_ name: String) throws -> Data {
        try Data(contentsOf: Repository.fixture("getstats/\(name).json"))
    }
}
