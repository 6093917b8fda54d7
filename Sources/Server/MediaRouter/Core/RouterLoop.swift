// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaPolicy
import RouterWire
import Synchronization

/// Runs a core on a real engine and a real clock: one loop, which takes one input after the other.
final class RouterLoop: Sendable {
    private let inputs: AsyncStream<RouterCore.Input>
    private let queue: AsyncStream<RouterCore.Input>.Continuation
    private let engine: Mutex<RouterEngine?>
    private let policy: LayerPolicyConfiguration
    private let maximumBitrate: Double

    /// Starts the engine.
    ///
    /// Inputs that come before ``run(_:)`` wait.
    init(engine configuration: RouterEngineConfiguration, policy: LayerPolicyConfiguration = .init()) throws {
        // Without a bound: a command must not get lost, and they are sent by the router's own server.
        let (inputs, queue) = AsyncStream<RouterCore.Input>.makeStream()
        self.inputs = inputs
        self.queue = queue
        self.policy = policy
        maximumBitrate = Double(configuration.maximumBitrate)
        engine = Mutex(try RouterEngine(configuration) { queue.yield(.engine($0)) })
    }

    /// Queues a command, or what was none.
    func post(_ input: RouterCore.Input) { queue.yield(input) }

    /// Ends ``run(_:)`` once what is queued has been done.
    func stop() { queue.finish() }

    /// Closes all legs and stops the engine.
    ///
    /// Waits for both; when ``run(_:)`` has ended.
    func close() {
        let last = engine.withLock { $0.take() }
        withExtendedLifetime(last) {}
    }

    /// Handles inputs until ``stop()`` or cancellation; `emit` gets every notice, in order, and must not wait
    /// long.
    func run(_ emit: @Sendable (RouterNotice) -> Void) async {
        guard let engine = engine.withLock({ $0 }) else { return }
        var core = RouterCore(engine: engine, policy: policy, maximumBitrate: maximumBitrate) { [queue] in
            queue.yield($0)
        }
        let clock = ContinuousClock()
        let start = clock.now
        let ticker = Task { [queue, policy] in
            while (try? await clock.sleep(for: policy.interval)) != nil { queue.yield(.tick) }
        }
        defer { ticker.cancel() }
        for await input in inputs {
            for notice in core.handle(input, at: clock.now - start) { emit(notice) }
        }
    }
}
