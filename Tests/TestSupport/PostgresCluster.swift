// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A PostgreSQL of a test's own: in a folder that goes with it, reached by a socket there and by nothing else.
///
/// It ends with the process of the tests, however that ends.
package final class PostgresCluster: Sendable {
    /// It did not start.
    package struct StartError: Error, CustomStringConvertible {
        /// What it said.
        package var description: String
    }

    /// The one that tests share who want a database and nothing else of it.
    package static let shared = Task { try await PostgresCluster(copying: nil, settings: []) }

    /// Whether there is one to start.
    package static var isInstalled: Bool { binaries != nil }

    /// Debian's folder of the programs, of the newest version; `nil` if PostgreSQL is not installed.
    package static let binaries: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return versions.compactMap(Int.init).sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    /// Where its socket is; what stands behind `host=`.
    package let folder: String
    private let child: ChildProcess
    /// The end of a pipe that says, once it is closed, that no one wants it any more.
    private let wish: FileHandle

    /// Makes and starts one.
    ///
    /// - Parameter settings: Of its configuration file, such as `max_connections=10`.
    /// - Throws: ``StartError``.
    package convenience init(settings: [String] = []) async throws {
        try await self.init(copying: Self.shared.value.folder + "/new", settings: settings)
    }

    /// - Parameter new: A cluster in which nothing has happened; `nil` to make one, and leave a copy beside it, since that
    ///   takes a second of a processor.
    private init(copying new: String?, settings: [String]) async throws {
        guard let binaries = Self.binaries else { throw StartError(description: "it is not installed") }
        // Short: the path of a socket has 107 characters at most.
        folder = "/tmp/slpg-\(UUID().uuidString.prefix(8))"
        let pipe = folder + "/wanted"
        guard mkdir(folder, 0o700) == 0, mkfifo(pipe, 0o600) == 0 else {
            throw StartError(description: "\(folder) cannot be made")
        }
        // For reading too, so that it does not wait for the other end; no other child gets it.
        let descriptor = open(pipe, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw StartError(description: "\(pipe) cannot be opened") }
        wish = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let user = try Self.user(owning: [folder, pipe])
        let all = Self.settings + ["unix_socket_directories=\(folder)"] + settings
        let arguments = all.flatMap { ["-c", $0] }
        let values = [folder, binaries, user, new ?? ""]
        child = try ChildProcess(
            URL(filePath: "/bin/sh"), ["-c", Self.script, "sh"] + values + arguments)
        try await eventually("PostgreSQL starts in \(folder)", within: .seconds(60)) { [child] in
            guard child.isRunning else { throw StartError(description: child.errors) }
            return child.errors.contains("database system is ready to accept connections")
        }
    }

    /// Ends it as if its machine had lost its power, and waits until it has.
    ///
    /// - Throws: ``NotInTime``.
    package func stop() async throws {
        try wish.close()
        _ = try await child.exitCode()
    }

    /// Stops all of it, and has it continue: it keeps its connections meanwhile, and says nothing on them.
    package func pause() { send(SIGSTOP) }

    /// Has it continue.
    package func resume() { send(SIGCONT) }

    private func send(_ signal: Int32) {
        // The one that makes others first, so that none is made meanwhile.
        for process in [child.identifier] + ProcessTable.children(of: child.identifier) {
            kill(process, signal)
        }
    }

    /// Small and fast: what it keeps is gone soon anyway.
    private static let settings = [
        "listen_addresses=", "fsync=off", "shared_buffers=16MB", "max_connections=300", "max_wal_size=256MB",
        "autovacuum=off", "logging_collector=off", "log_destination=stderr", "lc_messages=C",
    ]

    /// Becomes the server, as the user who owns it.
    ///
    /// Who reads from the pipe ends the server, and removes what it leaves, once no one has the other end any more.
    private static let script = """
        folder=$1 programs=$2 user=$3 new=$4
        shift 4
        as() {
            [ -n "$user" ] && exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
            exec "$@"
        }
        cd "$folder" || exit 1
        # Opened at once: who opens it when no one has the other end any more would wait for ever.
        exec 3<wanted
        if [ -z "$new" ]; then
            (as "$programs/initdb" -D new -U sightline -A trust -E UTF8 --locale=C.UTF-8 --wal-segsize=1 --no-sync \
                --no-instructions) || { rm -rf "$folder"; exit 1; }
        fi >&2
        (as cp -R "${new:-new}" data) || { rm -rf "$folder"; exit 1; }
        (
            read -r _ <&3
            kill -QUIT $$
            left=100
            while kill -0 $$ && [ $((left -= 1)) -gt 0 ]; do sleep 0.05; done
            rm -rf "$folder"
        ) >/dev/null 2>&1 &
        as "$programs/postgres" -D data "$@" 3<&-
        """

    /// Who may run it: it refuses to be root's.
    ///
    /// Empty for whoever runs the tests.
    private static func user(owning paths: [String]) throws -> String {
        guard geteuid() == 0 else { return "" }
        for name in ["postgres", "nobody"] {
            guard let entry = getpwnam(name) else { continue }
            for path in paths where chown(path, entry.pointee.pw_uid, entry.pointee.pw_gid) != 0 {
                throw StartError(description: "\(path) cannot be given to \(name)")
            }
            return name
        }
        throw StartError(description: "there is no user to run it")
    }
}
