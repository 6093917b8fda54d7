// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What observers need beside reports, asked for at each tick.
protocol MonitorInputs: Sendable {
    /// The stream's id; `nil` where no session names one.
    var streamId: String? { get }
    /// What is wanted of the media.
    func intent(for role: StreamRole) -> MediaIntent
    /// What a publisher wants on the connection to a subscriber, or to the router if it is `nil`.
    func intent(of connection: SubscriberConnection?) -> MediaIntent
    /// Figures from elsewhere with their age now.
    func remoteMetrics() -> RemoteMetrics
    /// The media of the stream's peer connection show a queue in that direction, or none.
    func noteQueue(_ direction: NetworkDirection?)
}

extension MonitorInputs {
    func noteQueue(_ direction: NetworkDirection?) {}
    var streamId: String? { nil }
    func intent(of connection: SubscriberConnection?) -> MediaIntent { intent(for: .publisher) }
}

/// Inputs as the app has set them.
final class StoredInputs: MonitorInputs {
    private struct State {
        var intents: [StreamRole: MediaIntent] = [:]
        var facts = RemoteMetrics()
        var metricsTime = Duration.zero
    }

    private let clock: SessionClock
    private let state = Mutex(State())

    init(_ clock: SessionClock) {
        self.clock = clock
    }

    func intent(for role: StreamRole) -> MediaIntent {
        state.withLock { $0.intents[role] } ?? MediaIntent(role: role)
    }

    func remoteMetrics() -> RemoteMetrics {
        let now = clock.now()
        return state.withLock { state in
            var facts = state.facts
            let elapsed = (now - state.metricsTime).seconds
            facts.publisher?.age += elapsed
            facts.leg?.age += elapsed
            facts.uplink?.age += elapsed
            facts.pathTimings = facts.pathTimings?.map { Aged($0.value, age: $0.age + elapsed) }
            facts.queueDirection?.age += elapsed
            return facts
        }
    }

    func setIntent(_ intent: MediaIntent, for role: StreamRole) {
        state.withLock { $0.intents[role] = intent }
    }

    func setRemoteMetrics(_ facts: RemoteMetrics) {
        let now = clock.now()
        state.withLock { state in
            state.facts = facts
            state.metricsTime = now
        }
    }
}
