// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import CallQuality
import CallRecording
import Foundation
import Sightline
import WebRTCStats

/// Writes what the participants of a call are judged by to one file.
final class CallRecorder: Sendable {
    private let records: AsyncStream<RecordedReport>.Continuation
    private let writing: Task<Void, any Error>

    /// Opens the file.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be written, or if it holds something and `isOverwriting` is
    ///   not set.
    init(path: String, isOverwriting: Bool = false) throws {
        try Self.makeRoom(path, isOverwriting)
        let writer: RecordingWriter
        do { writer = try RecordingWriter(URL(filePath: path)) } catch {
            throw CommandFailure("--record: \(error.message)")
        }
        // A report a second and stream; the writer only formats them and fills a buffer.
        let (stream, continuation) = AsyncStream.makeStream(of: RecordedReport.self)
        records = continuation
        writing = Task {
            var failure: (any Error)?
            for await record in stream {
                // A full disk may have room again later.
                do { try await writer.write(record) } catch { failure = error }
            }
            do { try await writer.close() } catch { failure = error }
            guard let failure else { return }
            throw CommandFailure(
                "--record: \(failure) \(await writer.lostReports) reports were lost.")
        }
    }

    /// Two calls in one file would be taken for one.
    private static func makeRoom(_ path: String, _ isOverwriting: Bool) throws {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            (attributes?[.size] as? NSNumber)?.intValue != 0
        else { return }
        guard isOverwriting else {
            throw CommandFailure(
                "--record: the file '\(path)' exists; name another one, or add --force to overwrite it."
            )
        }
        do { try FileManager.default.removeItem(atPath: path) } catch {
            throw CommandFailure("--record: '\(path)' cannot be overwritten.")
        }
    }

    /// Records the reports of a participant; none after ``close()``.
    func sink(for participant: String) -> @Sendable (RecordedReport) -> Void {
        { [records] report in records.yield(report.named(participant)) }
    }

    /// Writes what is left.
    ///
    /// - Throws: ``CommandFailure`` if reports were lost.
    func close() async throws {
        records.finish()
        try await writing.value
    }
}
