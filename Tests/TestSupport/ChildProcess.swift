// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

/// A program run by a test, with its output by lines.
///
/// It is killed when the test lets go of it.
public final class ChildProcess: Sendable {
    private struct State {
        var output = ""
        var errors = ""
    }

    private let process: Process
    private let state = Mutex(State())
    private let ended = DispatchGroup()

    /// Starts a program.
    ///
    /// - Throws: If there is no such program.
    public init(_ executable: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        collect(output) { $0.output += $1 }
        collect(errors) { $0.errors += $1 }
        ended.enter()
        process.terminationHandler = { [ended] _ in ended.leave() }
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    private func collect(_ pipe: Pipe, _ add: @escaping @Sendable (inout State, String) -> Void) {
        ended.enter()
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                self?.ended.leave()
            } else {
                self?.state.withLock { add(&$0, String(decoding: data, as: UTF8.self)) }
            }
        }
    }

    /// Its process id.
    public var identifier: Int32 { process.processIdentifier }

    /// Whether it has not ended.
    public var isRunning: Bool { process.isRunning }

    /// The complete lines of its standard output so far.
    public var lines: [String] {
        state.withLock { $0.output }.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
            String.init)
    }

    /// Its standard error so far.
    public var errors: String { state.withLock { $0.errors } }

    /// Sends it a signal.
    public func send(signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for its end and returns its exit code; a signal's number plus 128 if one ended it.
    ///
    /// - Throws: ``NotInTime``, after killing it.
    public func exitCode(within limit: Duration = .seconds(60)) async throws -> Int32 {
        do {
            try await eventually("the end of \(process.arguments ?? [])", within: limit) {
                ended.wait(timeout: .now()) == .success
            }
        } catch {
            kill(process.processIdentifier, SIGKILL)
            throw error
        }
        return process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
    }
}
