// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program run by a test, with its output by lines.
///
/// It is killed when the test releases it, and has no descriptor of the test's. Foundation's `Process` will not do: children
/// that are started at the same time inherit each other's pipes there, and then the end of one is not seen before the end of
/// the other. The same goes for NIO's sockets: one that a child has as well stays open when it is closed.
package final class ChildProcess: Sendable {
    /// A program could not be started.
    package struct StartError: Error {
        /// An `errno`.
        package var code: Int32
    }

    private struct State {
        var output = ""
        var errors = ""
        var openPipes = 2
        var status: Int32?
    }

    /// Its process id.
    package let identifier: Int32
    private let arguments: [String]
    private let state = Mutex(State())

    /// Starts a program.
    ///
    /// - Throws: ``StartError`` if there is no such program.
    package init(_ executable: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
        self.arguments = arguments
        let output = try Self.makePipe()
        let errors = try Self.makePipe()
        defer {
            close(output.write)
            close(errors.write)
        }
        identifier = try Self.spawn(
            executable.path, arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, output.write,
            errors.write)
        collect(output.read) { $0.output += $1 }
        collect(errors.read) { $0.errors += $1 }
    }

    deinit {
        if isRunning {
            kill(identifier, SIGKILL)
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
        }
    }

    /// Whether it has not ended.
    package var isRunning: Bool {
        state.withLock { state in
            if state.status != nil { return false }
            var status: Int32 = 0
            guard waitpid(identifier, &status, WNOHANG) == identifier else { return true }
            state.status = status
            return false
        }
    }

    /// The complete lines of its standard output so far.
    package var lines: [String] {
        state.withLock { $0.output }.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
            String.init)
    }

    /// Its standard error so far.
    package var errors: String { state.withLock { $0.errors } }

    /// Sends it a signal.
    package func send(signal: Int32) {
        if isRunning { kill(identifier, signal) }
    }

    /// Waits for its end and returns its exit code; a signal's number plus 128 if one ended it.
    ///
    /// - Throws: ``NotInTime``, after killing it.
    package func exitCode(within limit: Duration = .seconds(60)) async throws -> Int32 {
        do {
            try await eventually("the end of \(arguments)", within: limit) {
                !isRunning && state.withLock { $0.openPipes == 0 }
            }
        } catch {
            send(signal: SIGKILL)
            throw error
        }
        let status = state.withLock { $0.status } ?? 0
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private func collect(_ descriptor: Int32, _ add: @escaping @Sendable (inout State, String) -> Void) {
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                let text = String(decoding: buffer.prefix(count), as: UTF8.self)
                self?.state.withLock { add(&$0, text) }
            }
            close(descriptor)
            self?.state.withLock { $0.openPipes -= 1 }
        }
    }

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw StartError(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ path: String, _ arguments: [String], environment: [String: String], _ output: Int32, _ errors: Int32
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // One that is not open is no mistake; other threads open some meanwhile.
        for descriptor in 3...highestDescriptor() + 1000 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var identifier: Int32 = 0
        let code = posix_spawn(&identifier, path, &actions, nil, words, variables)
        guard code == 0 else { throw StartError(code: code) }
        return identifier
    }
    private static func highestDescriptor() -> Int32 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return names.compactMap { Int32($0) }.max() ?? 3
    }
}
