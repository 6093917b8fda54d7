// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A process of ours that reads a socket as its standard input.
final class ChildProcess: Sendable {
    /// Why a process did not start.
    struct SpawnError: Error, CustomStringConvertible {
        let executable: String
        let code: Int32
        var description: String { "\(executable) does not start: \(String(cString: strerror(code)))" }
    }

    private struct State {
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let processID: pid_t
    private let state = Mutex(State())

    /// Starts `executable`.
    ///
    /// The child has `input` as its standard input, our standard error as output and error, and no other
    /// descriptor. Of our environment, which holds secrets, it gets only what a program needs to start. It is
    /// in a process group of its own, so that Ctrl-C in a terminal reaches it only through us, and its
    /// signals are as a new program expects them.
    ///
    /// - Throws: ``SpawnError``.
    init(executable: String, arguments: [String], input: Int32) throws {
        processID = try Self.spawn(executable, arguments, input)
        let reaper = Thread { [self] in reap() }
        reaper.name = "router-wait"
        reaper.start()
    }

    /// Sends a signal; nothing if the process has ended.
    func signal(_ signal: Int32) {
        // Under the lock the process has not been waited for, so the number is still its own.
        state.withLock { state in
            if !state.hasEnded { kill(processID, signal) }
        }
    }

    /// Returns when the process has ended.
    ///
    /// Not cut short by cancellation.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiting.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Returns when the process has ended, by itself within `time` or killed after it.
    ///
    /// Not cut short by cancellation.
    func end(within time: Duration) async {
        let killer = Task.detached { [self] in
            try await Task.sleep(for: time)
            signal(SIGKILL)
        }
        await waitForEnd()
        killer.cancel()
    }

    private func reap() {
        var info = siginfo_t()
        // WNOWAIT: the number stays taken until it is given up under the lock.
        while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let waiting = state.withLock { state in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            state.hasEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

// MARK: - Starting

extension ChildProcess {
    private static func spawn(_ executable: String, _ arguments: [String], _ input: Int32) throws -> pid_t {
        #if canImport(Glibc)
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #else
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, 2, 1)
        let flags =
            Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
        #if canImport(Glibc)
        // One that is not open is no mistake; what is opened beyond it meanwhile, the router closes.
        for descriptor in 3...highestDescriptor() {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        let extraFlags: Int32 = 0
        #else
        let extraFlags = POSIX_SPAWN_CLOEXEC_DEFAULT
        posix_spawn_file_actions_addinherit_np(&actions, 2)
        #endif
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(flags | extraFlags))
        var child: pid_t = 0
        let variables = environment(from: ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
        let code = withCStrings([executable] + arguments) { words in
            withCStrings(variables) { variables in
                posix_spawn(&child, executable, &actions, &attributes, words, variables)
            }
        }
        guard code == 0 else { throw SpawnError(executable: executable, code: code) }
        return child
    }

    #if canImport(Glibc)
    /// The highest descriptor that may be open when the child starts: other threads open some meanwhile.
    private static func highestDescriptor() -> Int32 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let highest = names.compactMap { Int32($0) }.max() ?? 2
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return max(3, min(highest + 1000, Int32(clamping: limit.rlim_cur) - 1))
    }
    #endif

    /// A child's environment: none of our variables but how its libraries are found and how it is
    /// debugged.
    static func environment(from own: [String: String]) -> [String: String] {
        let kept = [
            "LD_LIBRARY_PATH", "SWIFT_BACKTRACE", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
        ]
        var environment = own.filter { kept.contains($0.key) }
        environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"
        environment["LANG"] = "C.UTF-8"
        return environment
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) } + [nil]
        defer { copies.forEach { free($0) } }
        return body(copies)
    }
}
