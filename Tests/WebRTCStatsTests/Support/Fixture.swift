// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// The recorded reports in Tests/Fixtures/getstats.
enum Fixture {
    /// A report as the text its engine or a serializer printed.
    struct Report: CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var testDescription: String { name }
    }

    /// Files that are one report.
    static let plainNames = ["sender", "receiver", "sender_vp8_360p", "receiver_vp8_360p"]

    /// Files with a report a second, as `[{"t": …, "stats": report}]`.
    static let seriesNames = ["chromium_pub", "chromium_sub"]

    static func all() throws -> [Report] {
        try plainNames.map { Report(name: $0, bytes: Array(try data("\($0).json"))) }
            + seriesNames.flatMap { try series($0) }
    }

    static func report(_ name: String) throws -> [UInt8] {
        Array(try data("\(name).json"))
    }

    static func series(_ name: String) throws -> [Report] {
        let samples = try JSONSerialization.jsonObject(with: data("\(name).json")) as? [[String: Any]] ?? []
        return try samples.enumerated().map { index, sample in
            let text = try JSONSerialization.data(withJSONObject: sample["stats"] ?? [])
            return Report(name: "\(name)[\(index)]", bytes: Array(text))
        }
    }

    /// The members of the specification: type, name, kind.
    static func specification() throws -> [(type: String, name: String, kind: String)] {
        String(decoding: try data("w3c-members.tsv"), as: UTF8.self)
            .split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let fields = line.split(separator: "\t").map(String.init)
                return (fields[0], fields[1], fields[2])
            }
    }

    /// The table the model is generated from.
    static func modelTable() throws -> String {
        let data = try Data(contentsOf: Repository.url("Scripts/stats-model.txt"))
        return String(decoding: data, as: UTF8.self)
    }

    private static func data(_ file: String) throws -> Data {
        try Data(contentsOf: Repository.fixture("getstats").appending(path: file))
    }
}
