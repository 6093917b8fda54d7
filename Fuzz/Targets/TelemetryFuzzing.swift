// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire
import WebRTCStats

enum TelemetryFuzzing {
    /// Messages, one a line: what is refused is refused with a word, what is completed has figures that can be, and no
    /// observer may trap over a report.
    static func run(_ input: UnsafeRawBufferPointer) throws {
        var bases = TelemetryBases()
        var publisher = PublisherObserver()
        var subscriber = SubscriberObserver()
        for line in input.split(separator: UInt8(ascii: "\n"), maxSplits: 32) {
            guard let message = try? ClientMessage(json: line).validated(),
                case .telemetry(let telemetry) = message.body
            else { continue }
            for sent in telemetry.events {
                let event: MeasuredEvent
                do throws(ServerError) { event = try bases.complete(sent) } catch {
                    try require(error.code == .lostBase, "telemetry was refused with \(error.code)")
                    continue
                }
                try check(event)
                guard let report = event.report else { continue }
                _ = publisher.handle(report)
                _ = subscriber.handle(report)
            }
        }
    }

    private static func check(_ event: MeasuredEvent) throws {
        try require(
            event.report?.entryCount ?? 0 <= ReportRebuilder.objectLimit,
            "a report is larger than what is kept")
        guard let sample = event.sample else { return }
        try require(sample.withoutImpossibleFigures() == sample, "a sample has figures that cannot be")
    }
}
