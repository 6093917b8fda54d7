// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

enum StatsFuzzing {
    /// Reports, one a line: what is read must survive writing and reading, and no observer may trap over it.
    static func run(_ input: UnsafeRawBufferPointer) throws {
        // Where the bytes are: the sanitizer then sees a step beyond their end.
        if !input.contains(UInt8(ascii: "\n")) { try roundTrip(input) }
        var publisher = PublisherObserver()
        var subscriber = SubscriberObserver()
        for line in input.split(separator: UInt8(ascii: "\n"), maxSplits: 16) {
            guard let report = try? StatsReport.parse(line).report else { continue }
            _ = publisher.handle(report)
            try check(subscriber.handle(report))
        }
    }

    private static func roundTrip(_ input: UnsafeRawBufferPointer) throws {
        guard let parsed = try? StatsReport.parse(input) else { return }
        for report in [parsed.report, parsed.report.redactingAddresses()] {
            let again = try? StatsReport.parse(report.json())
            try require(again?.report == report, "a report changed when it was written and read")
        }
    }

    private static func check(_ observation: SubscriberObservation) throws {
        for share in [
            observation.audio?.fractionLost, observation.audio?.concealment, observation.audio?.audioLevel,
            observation.video?.fractionLost,
        ] {
            try require(share.map { (0...1).contains($0) } ?? true, "a share of \(share ?? 0)")
        }
        for score in [observation.audio?.mos, observation.video?.mos] {
            try require(score.map { (1...4.5).contains($0) } ?? true, "a score of \(score ?? 0)")
        }
    }
}
