// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import TestSupport
import Testing
import WebRTCStats

@Suite("Writing recordings")
struct WritingTests {
    private static func full(_ second: Int) -> RecordedReport {
        var record = InventedCall.record(
            second, InventedCall.both(second), "pc \"1\"\n", role: .publisher, stream: "s")
        record.time += 0.25
        record.intent?.video = VideoIntent(
            enabled: true, layers: [LayerIntent(rid: "q", maximumBitrate: 1e5)])
        record.remote = RemoteMetrics(
            senderStatsTrack: true,
            leg: Aged(SenderMetrics(estimatedBandwidth: 5e5, reason: .bandwidth), age: 0.5))
        return record
    }

    @Test("what was written is read again")
    func roundTrip() throws {
        let records = (1...5).map(Self.full)
        var encoder = RecordingEncoder()
        let reading = try Reading(records.flatMap { encoder.line(for: $0) })
        #expect(reading.records == records)
        #expect(reading.issues == [])
    }

    @Test(
        "a browser's reports come through unchanged but for their addresses",
        arguments: ["chromium_pub", "chromium_sub"])
    func browserRoundTrip(name: String) throws {
        let records = try Fixture.chromium(name)
        var plain = RecordingEncoder(redactsAddresses: false)
        #expect(try Reading(records.flatMap { plain.line(for: $0) }).records == records)
        var redacting = RecordingEncoder()
        let bytes = records.flatMap { redacting.line(for: $0) }
        var redactor = StatsRedactor()
        #expect(try Reading(bytes).records.map(\.report) == records.map { redactor.redact($0.report) })
        #expect(!String(decoding: bytes, as: UTF8.self).contains("127.0.0.1"))
    }

    @Test("a line has the documented members")
    func members() throws {
        var encoder = RecordingEncoder()
        let record = RecordedReport(
            time: 1_700_000_000_000, peerConnection: "a", report: StatsReport(),
            intent: MediaIntent(role: .subscriber))
        #expect(
            String(decoding: encoder.line(for: record), as: UTF8.self)
                == #"{"time":1700000000000,"pc":"a","stats":[],"intent":{"role":"subscriber"}}"# + "\n")
    }

    @Test("a figure that JSON cannot hold costs only itself")
    func notFinite() throws {
        var record = Self.full(1)
        record.time = .nan
        record.intent?.audio = AudioIntent(maximumBitrate: .infinity)
        var encoder = RecordingEncoder()
        let reading = try Reading(encoder.line(for: record))
        #expect(reading.records.first?.time == record.report.timestamp)
        #expect(reading.records.first?.intent == nil)
        #expect(reading.records.first?.remote == record.remote)
    }

    @Test("lines are kept back up to the buffer's size, and all are there in the end")
    func buffering() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("call.jsonl")
        let writer = try RecordingWriter(file, bufferBytes: 4000)
        try await writer.write(Self.full(1))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int == 0)
        for second in 2...30 { try await writer.write(Self.full(second)) }
        let early = try Reading(Array(Data(contentsOf: file)))
        #expect(early.records == Array((1...30).map(Self.full).prefix(early.records.count)))
        #expect(early.records.count > 20)
        try await writer.close()
        #expect(try Reading(Array(Data(contentsOf: file))).records == (1...30).map(Self.full))
    }

    @Test("several tasks may write, and no line is torn")
    func concurrentWriters() async throws {
        let folder = try TemporaryFolder()
        let writer = try RecordingWriter(folder.file("call.jsonl"), bufferBytes: 100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for second in 1...25 {
                        try await writer.write(
                            InventedCall.record(second, InventedCall.sending(second), "pc-\(task)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        try await writer.close()
        let reading = try Reading(Array(Data(contentsOf: writer.file)))
        #expect(reading.issues == [])
        for task in 0..<4 {
            let times = reading.records.filter { $0.peerConnection == "pc-\(task)" }.map(\.time)
            #expect(times == (1...25).map(InventedCall.time))
        }
    }

    @Test("a recording whose recorder was killed is continued; the torn line costs only itself")
    func continued() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write([Self.full(1), Self.full(2)], to: "call.jsonl")
        let whole = try Data(contentsOf: file)
        try whole.dropLast(20).write(to: file)
        let writer = try RecordingWriter(file)
        try await writer.write(Self.full(3))
        try await writer.close()
        let reading = try Reading(Array(Data(contentsOf: file)))
        #expect(reading.records == [Self.full(1), Self.full(3)])
        #expect(reading.issues.map(\.line) == [2])
    }

    @Test("a recording that ended properly is continued without an empty line")
    func continuedProperly() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write([Self.full(1)], to: "call.jsonl")
        let writer = try RecordingWriter(file)
        try await writer.write(Self.full(2))
        try await writer.close()
        #expect(
            try Data(contentsOf: file).split(separator: 0x0A, omittingEmptySubsequences: false).count == 3)
    }

    @Test("a closed writer and a missing directory are errors")
    func errors() async throws {
        let folder = try TemporaryFolder()
        let writer = try RecordingWriter(folder.file("call.jsonl"))
        try await writer.close()
        try await writer.close()
        let closed = await #expect(throws: RecordingError.self) { try await writer.write(Self.full(1)) }
        #expect(closed?.code == .closed)
        let missing = #expect(throws: RecordingError.self) {
            _ = try RecordingWriter(folder.file("none/call.jsonl"))
        }
        #expect(missing?.code == .fileAccess)
    }

    @Test(
        "a disk that is full loses lines and says how many",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() async throws {
        let writer = try RecordingWriter(URL(filePath: "/dev/full"), bufferBytes: 0)
        for second in 1...3 {
            let error = await #expect(throws: RecordingError.self) {
                try await writer.write(Self.full(second))
            }
            #expect(error?.code == .fileAccess)
        }
        #expect(await writer.lostReports == 3)
    }
}
