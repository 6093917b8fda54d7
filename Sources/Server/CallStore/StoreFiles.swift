// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// The files of a store: the database and the two that SQLite keeps beside it.
///
/// Only their owner may read and write them. SQLite gives the two beside it the mode of the database.
enum StoreFiles {
    static let mode: mode_t = 0o600
    private static let suffixes = ["", "-wal", "-shm"]

    /// Sees to it that the database is a file that the server may read and write; makes an empty one if there
    /// is none.
    ///
    /// - Throws: ``SQLiteCallStore/OpenError`` with what to do.
    static func prepare(_ path: String) throws(SQLiteCallStore.OpenError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, mode)
        guard file >= 0 else { throw SQLiteCallStore.OpenError(description: problem(errno, path)) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SQLiteCallStore.OpenError(description: "it is no file; name one")
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else {
            throw SQLiteCallStore.OpenError(
                description:
                    "SQLite keeps two files beside it, and this user may not write in \(folder); give it "
                    + "that permission, or name another file")
        }
        // From before there was a mode, or from a copy.
        for suffix in suffixes { closeToOthers(path + suffix) }
    }

    private static func closeToOthers(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        chmod(path, mode)
    }

    private static func problem(_ code: Int32, _ path: String) -> String {
        switch code {
        case EISDIR: "it is a directory; name a file in it, such as \(path)/calls.sqlite"
        case EACCES, EPERM:
            "this user (\(geteuid())) may not read and write it; give it that permission, or name another file"
        case EROFS: "its file system is read-only; make it writable, or name another file"
        case ENOENT, ENOTDIR:
            "there is no directory \(URL(filePath: path).deletingLastPathComponent().path); make it first"
        case ENOSPC, EDQUOT: "there is no room for it on the disk; make some, or name another file"
        default: String(cString: strerror(code))
        }
    }

    // MARK: - Damage

    private static func mark(_ path: String) -> String { path + ".damaged" }

    /// Remembers for the next start that the file is damaged.
    static func markDamaged(_ path: String) {
        let file = open(mark(path), O_WRONLY | O_CREAT | O_CLOEXEC, mode)
        if file >= 0 { close(file) }
    }

    /// Whether an earlier process found the file damaged.
    static func isMarkedDamaged(_ path: String) -> Bool { access(mark(path), F_OK) == 0 }

    /// Whether a file that cannot be read as a database may have been one.
    ///
    /// One that neither begins as a database nor has its size is someone's, who gave the wrong name.
    static func mayHaveBeenStore(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return false }
        var head = [UInt8](repeating: 0, count: 16)
        let isHeaded = read(file, &head, head.count) == head.count && head == Array("SQLite format 3\0".utf8)
        return isHeaded || status.st_size % 512 == 0
    }

    /// Renames a damaged store, with its side files.
    ///
    /// - Returns: The database's new path.
    /// - Throws: ``SQLiteCallStore/OpenError`` if it cannot be.
    static func moveAside(_ path: String, at time: Date) throws(SQLiteCallStore.OpenError) -> String {
        let format = Date.ISO8601FormatStyle(timeZoneSeparator: .omitted).year().month().day()
            .dateSeparator(.omitted).dateTimeSeparator(.standard).time(includingFractionalSeconds: false)
            .timeSeparator(.omitted).timeZone(separator: .omitted)
        let name = "\(path).corrupt-\(time.formatted(format))"
        var target = name
        var number = 1
        while access(target, F_OK) == 0 {
            number += 1
            target = "\(name)-\(number)"
        }
        for suffix in suffixes where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, target + suffix) == 0 else {
                throw SQLiteCallStore.OpenError(
                    description:
                        "it is damaged and cannot be moved aside (\(String(cString: strerror(errno)))); "
                        + "move it yourself, or name another file")
            }
        }
        unlink(mark(path))
        return target
    }
}
