// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation

/// Writes a recording of our own form to a file while the call continues.
///
/// Several tasks may write. Lines are buffered, never more than the buffer
/// holds, and written in order. An existing file is continued: what a recorder that was killed left of its
/// last line is closed first, so that it costs only itself. Call ``close()`` at the end.
public actor RecordingWriter {
    /// The file.
    public nonisolated let file: URL
    /// Number of reports lost to failed writes so far.
    public private(set) var lostReports = 0

    private let bufferBytes: Int
    private var handle: FileHandle?
    private var encoder: RecordingEncoder
    private var buffer: [UInt8] = []
    private var bufferedReports = 0
    /// Whether the file may end in the middle of a line.
    private var isTorn: Bool

    /// Opens a file for writing at its end, and creates it if there is none, for its owner's eyes only.
    ///
    /// - Parameters:
    ///   - file: The file; its directory must exist.
    ///   - redactsAddresses: Whether what could identify a person or a network is replaced by placeholders.
    ///   - bufferBytes: Size of the buffer; `0` writes each report at once.
    /// - Throws: ``RecordingError`` with ``RecordingError/Code-swift.struct/fileAccess``.
    public init(
        _ file: URL, redactsAddresses: Bool = true, bufferBytes: Int = 64 << 10
    ) throws(RecordingError) {
        self.file = file
        self.bufferBytes = max(bufferBytes, 0)
        encoder = RecordingEncoder(redactsAddresses: redactsAddresses)
        do {
            let (handle, isTorn) = try Self.open(file)
            self.handle = handle
            self.isTorn = isTorn
        } catch {
            throw Self.failure(file, error)
        }
    }

    /// Adds a report.
    ///
    /// - Throws: ``RecordingError`` if lines had to be written and could not be; these are lost and counted
    ///   in ``lostReports``, later ones are tried again.
    public func write(_ record: RecordedReport) throws(RecordingError) {
        guard handle != nil else { throw RecordingError(.closed, "\(file.lastPathComponent) was closed.") }
        buffer += encoder.line(for: record)
        bufferedReports += 1
        if buffer.count >= bufferBytes { try flush() }
    }

    /// Flushes the buffer.
    ///
    /// - Throws: As ``write(_:)``.
    public func flush() throws(RecordingError) {
        guard let handle, !buffer.isEmpty else { return }
        let bytes = (isTorn ? [0x0A] : []) + buffer
        let reports = bufferedReports
        buffer.removeAll(keepingCapacity: true)
        bufferedReports = 0
        // A write that fails may have written a part.
        isTorn = true
        do {
            try handle.write(contentsOf: Data(bytes))
            isTorn = false
        } catch {
            lostReports += reports
            throw Self.failure(file, error)
        }
    }

    /// Flushes and closes the file; a closed one stays closed.
    ///
    /// - Throws: As ``write(_:)``; the file is closed in any case.
    public func close() throws(RecordingError) {
        defer {
            try? handle?.close()
            handle = nil
        }
        try flush()
    }

    private static func open(_ file: URL) throws -> (FileHandle, isTorn: Bool) {
        try PrivateFile.create(file)
        let handle = try FileHandle(forUpdating: file)
        let length = try handle.seekToEnd()
        guard length > 0 else { return (handle, false) }
        try handle.seek(toOffset: length - 1)
        let last = try handle.read(upToCount: 1)?.first
        try handle.seekToEnd()
        return (handle, last != UInt8(ascii: "\n"))
    }

    private static func failure(_ file: URL, _ error: any Error) -> RecordingError {
        RecordingError(
            .fileAccess, "\(file.lastPathComponent) cannot be written: \(error.localizedDescription)")
    }
}
