// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if os(Linux)
import CallModel
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A short-lived program that is run for what it prints.
///
/// Foundation's `Process` lets children that are started at the same time inherit each other's pipes, so that the end
/// of one is only seen with the end of the other.
enum OneShotProcess {
    /// Longest output that is read, bytes.
    private static let outputLimit = 1 << 16

    /// What a program of the search path prints; `nil` if it cannot be run, fails, prints too much or takes too long.
    static func output(
        of program: String, _ arguments: [String], environment: [String: String], within limit: Duration
    ) async -> String? {
        await withCheckedContinuation { continuation in
            // Reading and waiting block, which tasks must not.
            Thread.detachNewThread {
                continuation.resume(returning: run(program, arguments, environment, limit))
            }
        }
    }

    private static func run(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ limit: Duration
    ) -> String? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = spawn(program, arguments, environment, output: ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        guard let child else { return nil }
        let text = readAll(ends[0], until: ContinuousClock.now + limit)
        if text == nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status == 0 ? text : nil
    }

    /// Reads to the end; `nil` if that does not come in time.
    private static func readAll(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= outputLimit {
            let left = (deadline - ContinuousClock.now).milliseconds
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&poller, 1, Int32(max(0, min(left, 60_000))))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += buffer.prefix(count)
        }
        return nil
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String], output: Int32
    ) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var child: pid_t = 0
        return posix_spawnp(&child, program, &actions, nil, words, variables) == 0 ? child : nil
    }
}
#endif
