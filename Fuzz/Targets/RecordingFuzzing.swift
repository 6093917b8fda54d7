// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CZlib
import CallQuality
import Foundation
import Packing

@testable import CallRecording
@testable import CallReport

enum RecordingFuzzing {
    private static var limits: RecordingLimits {
        var limits = RecordingLimits()
        limits.lineBytes = 1 << 16
        limits.documentBytes = 1 << 18
        limits.unpackedBytes = 1 << 18
        limits.reports = 256
        return limits
    }

    /// A recording is read, or said to be none.
    static func read(_ input: UnsafeRawBufferPointer) throws {
        let whole = try reports(of: input, pieces: max(1, input.count))
        let cut = try reports(of: input, pieces: 1 + Int(input.last ?? 0))
        try require(whole == cut, "\(whole.count) reports in one piece, \(cut.count) in many")
    }

    /// What is read is judged, and the page about it is made.
    static func judge(_ input: UnsafeRawBufferPointer) throws {
        let (all, trace) = try read(input, pieces: max(1, input.count))
        let records = all.prefix(64)
        guard !records.isEmpty || !trace.isEmpty else { return }
        var replay = CallReplay(configuration: QualityConfiguration(), keepsObservations: true)
        var facts = FactCollector(recording: 0)
        for record in records {
            replay.handle(record)
            facts.take(record)
        }
        let timeline = replay.timeline(with: CallFacts(clients: [facts.facts(with: trace)]))
        _ = timeline.text()
        _ = try JSONEncoder().encode(timeline.events)
        _ = try encoder.encode(timeline.summary)
        let environments = records.map { ConnectionEnvironment($0, recording: 0) }
        for showsNames in [true, false] {
            let page = ReportPage(timeline, environments, showsNames: showsNames).html
            try require(!page.contains("<script"), "a recording brought a script into the page")
        }
    }

    /// Figures of hostile files need not be numbers.
    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return encoder
    }

    private static func reports(
        of input: UnsafeRawBufferPointer, pieces size: Int
    ) throws -> [RecordedReport] {
        try read(input, pieces: size).records
    }

    private static func read(
        _ input: UnsafeRawBufferPointer, pieces size: Int
    ) throws -> (records: [RecordedReport], trace: [TraceEvent]) {
        var parser = RecordingParser(limits: limits)
        var found: [RecordedReport] = []
        do throws(RecordingError) {
            for piece in pieces(of: unpacked(input), size) { found += try parser.append(piece) }
            found += try parser.finish()
        } catch {
            // It is said what is wrong; what came before counts.
        }
        try require(parser.issues.count <= limits.issues, "\(parser.issues.count) issues")
        try require(parser.trace.count <= limits.traceEvents, "\(parser.trace.count) events")
        return (found, parser.trace)
    }

    private static func pieces(of bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
    }

    private static func unpacked(_ input: UnsafeRawBufferPointer) -> [UInt8] {
        guard input.starts(with: [0x1F, 0x8B]) else { return [UInt8](input) }
        let inflater = Inflater(.gzip)
        var rest = input[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty, bytes.count <= limits.unpackedBytes {
            var progress = Inflater.Progress.going
            var taken = 0
            bytes += [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
                let step = inflater.unpack(
                    UnsafeRawBufferPointer(rebasing: rest), into: UnsafeMutableRawBufferPointer(buffer))
                (taken, count, progress) = step
            }
            rest = rest.dropFirst(taken)
            if progress == .damaged { break }
        }
        return bytes
    }
}
