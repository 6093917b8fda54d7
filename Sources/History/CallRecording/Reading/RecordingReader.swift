// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation

/// Reads a recording from a file, report by report, without holding more of it than needed.
///
/// A file packed with gzip is recognised by its content and unpacked on the way.
/// Belongs to one task at a time.
public struct RecordingReader {
    /// The file.
    public let file: URL

    private let bytes: RecordingBytes
    private var parser: RecordingParser
    private var pending: ArraySlice<RecordedReport> = []
    private var isAtEnd = false
    private var isEmpty = true

    /// Opens a recording.
    ///
    /// - Throws: ``RecordingError`` with ``RecordingError/Code-swift.struct/fileAccess`` if the file cannot be opened.
    public init(_ file: URL, limits: RecordingLimits = .default) throws(RecordingError) {
        self.file = file
        parser = RecordingParser(limits: limits)
        do {
            bytes = RecordingBytes(try FileHandle(forReadingFrom: file), limit: limits.unpackedBytes)
        } catch {
            throw RecordingError(
                .fileAccess, "\(file.lastPathComponent) cannot be opened: \(error.localizedDescription)")
        }
    }

    /// The recording's form; `nil` until it is recognised.
    public var format: RecordingFormat? { parser.format }

    /// What could not be read so far.
    public var issues: [RecordingIssue] { parser.issues }

    /// How many more issues there were.
    public var omittedIssues: Int { parser.omittedIssues }

    /// Calls and events of the API that the recording has beside the reports; complete once it is read.
    public var trace: [TraceEvent] { parser.trace }

    /// The next report; `nil` at the end of the recording.
    ///
    /// - Throws: ``RecordingError`` if the recording cannot be read on, or was of no known form; from then on it is at
    ///   its end.
    public mutating func next() throws(RecordingError) -> RecordedReport? {
        while pending.isEmpty, !isAtEnd {
            do throws(RecordingError) {
                try readMore()
            } catch {
                isAtEnd = true
                throw RecordingError(error.code, "\(file.lastPathComponent): \(error.message)")
            }
        }
        return pending.popFirst()
    }

    private mutating func readMore() throws(RecordingError) {
        if let reports = try parser.next() {
            pending = reports[...]
            return
        }
        let piece: [UInt8]
        do {
            piece = try bytes.next()
        } catch {
            throw RecordingError(.fileAccess, "The file cannot be read: \(error.localizedDescription)")
        }
        guard piece.isEmpty else {
            isEmpty = false
            return try parser.add(piece)
        }
        isAtEnd = true
        if let missing = bytes.missing {
            if isEmpty { throw RecordingError(.compressed, "Nothing of the packed file could be unpacked.") }
            parser.note(missing.code, missing.detail)
        }
        pending = try parser.finish()[...]
    }
}
