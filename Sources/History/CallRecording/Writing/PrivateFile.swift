// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Files about people's calls: only their owner may read and write them.
public enum PrivateFile {
    private static let mode: mode_t = 0o600

    /// Makes an empty file unless there is one; that one keeps its mode.
    ///
    /// - Throws: `POSIXError`.
    static func create(_ file: URL) throws {
        let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Self.error }
        close(descriptor)
    }

    /// Writes a file atomically: a reader sees the old one or the new one.
    ///
    /// - Throws: `POSIXError`, or what `FileHandle` throws.
    public static func write(_ data: Data, to file: URL) throws {
        // Beside it, for only then can it take its place.
        let piece = file.appendingPathExtension("part-\(UInt32.random(in: 0...(.max)))")
        let descriptor = open(piece.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Self.error }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: data)
            try handle.close()
            guard rename(piece.path, file.path) == 0 else { throw Self.error }
        } catch {
            unlink(piece.path)
            throw error
        }
    }

    private static var error: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
