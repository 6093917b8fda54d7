// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Asks for the output volume now and then, and knows the last answer.
final class OutputVolumeWatch: Sendable {
    private struct State {
        var volume: Double?
        var task: Task<Void, Never>?
    }

    private let source: any OutputVolumeSource
    private let interval: Duration
    private let clock: SessionClock
    private let state = Mutex(State())

    init(_ source: any OutputVolumeSource, interval: Duration, clock: SessionClock) {
        self.source = source
        self.interval = max(interval, .milliseconds(200))
        self.clock = clock
    }

    deinit { stop() }

    /// The last answer, `0...1`; `nil` if there was none.
    var present: Double? { state.withLock { $0.volume } }

    /// Begins to ask; no effect while it runs.
    func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            state.task = Task { [source, interval, clock, weak self] in
                while !Task.isCancelled {
                    let volume = await source.outputVolume().flatMap { $0.isFinite ? $0 : nil }
                    self?.note(volume)
                    do { try await clock.sleep(for: interval) } catch { return }
                }
            }
        }
    }

    /// Ends it.
    func stop() {
        state.withLock { state in
            state.task?.cancel()
            state.task = nil
            state.volume = nil
        }
    }

    private func note(_ volume: Double?) {
        state.withLock { state in
            guard state.task != nil else { return }
            state.volume = volume.map { min(max($0, 0), 1) }
        }
    }
}
