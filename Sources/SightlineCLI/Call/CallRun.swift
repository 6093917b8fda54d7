// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import CallModel
import CallQuality
import Sightline

/// Runs a command's part in a call: sets it up, shows it, ends it, sums it up.
struct CallRun: Sendable {
    /// How it is shown, and how long it lasts from the moment when everything is set up.
    let output: OutputOptions
    /// Records the call; closed when it is over.
    var recorder: CallRecorder?
    /// Work in parallel with the call, from its setup on; cancelled at its end.
    var aside: (@Sendable (EventBus) async throws -> Void)?
    let interruption = Interruption()

    /// Runs a call.
    ///
    /// - Parameter setUp: Connects, publishes and subscribes. Cancelled by Ctrl-C.
    func run(_ setUp: @escaping @Sendable (EventBus) async throws -> [CallLeg]) async throws {
        let bus = EventBus()
        let output = CallOutput(options: output, interruption: interruption)
        let showing = Task { await output.show(bus) }
        let start = ContinuousClock.now
        let result: Result<[(CallLeg, CallLeg.Snapshot)], any Error>
        do { result = .success(try await call(bus, setUp)) } catch { result = .failure(error) }
        bus.finish()
        var builder = await showing.value
        let recorded: Result<Void, any Error>
        do { recorded = .success(try await recorder?.close() ?? ()) } catch { recorded = .failure(error) }
        let legs = try result.get()
        for (leg, snapshot) in legs { leg.note(in: &builder, snapshot) }
        let seconds = (ContinuousClock.now - start).seconds
        if !legs.isEmpty { output.show(builder.summary(duration: seconds)) }
        try recorded.get()
        if let failure = legs.lazy.compactMap(\.0.participant.failure).first { throw failure }
    }

    /// The call itself; nothing is left of it afterwards but what it returns.
    private func call(
        _ bus: EventBus, _ setUp: @escaping @Sendable (EventBus) async throws -> [CallLeg]
    ) async throws -> [(CallLeg, CallLeg.Snapshot)] {
        guard let legs = try await unlessInterrupted({ try await setUp(bus) }) else { return [] }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await stay(legs, bus)) } catch { outcome = .failure(error) }
        let snapshots = legs.map { ($0, $0.snapshot) }
        for leg in legs { await leg.participant.leave() }
        try outcome.get()
        return snapshots
    }

    /// Shows the call until its time is up, someone ends it, or a stream is over.
    private func stay(_ legs: [CallLeg], _ bus: EventBus) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for leg in legs {
                group.addTask {
                    await leg.follow()
                    return true
                }
                group.addTask {
                    try await leg.runConditions()
                    return false
                }
            }
            if let aside {
                group.addTask {
                    // Who is cut off by the end of the call is no failure of it.
                    do { try await aside(bus) } catch is CancellationError {}
                    return false
                }
            }
            group.addTask {
                await interruption.wait(seconds: output.duration)
                return true
            }
            while let isOver = try await group.next(), !isOver {}
            group.cancelAll()
        }
    }

    /// What `body` returns; `nil` if Ctrl-C came first.
    private func unlessInterrupted<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                await interruption.wait(seconds: nil)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}

/// Converts the SDK's errors to the command's: their text is already for people.
func explained<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as SightlineError {
        throw CommandFailure(error.message)
    }
}
