// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import LabScoring
import Sightline
import Synchronization

/// Gathers what both observers say, with the time at which it was said.
final class SampleCollector: Sendable {
    private struct Said {
        var at: ContinuousClock.Instant
        var sample: Timeline.Sample
    }

    private let said = Mutex<[Said]>([])

    /// Listens to alice until her stream is over.
    func listen(to publisher: Publisher) {
        let observations = publisher.observations()
        Task {
            for await observation in observations {
                note(
                    .alice, observation.diagnosis, observation.mediaLink.first?.transport.networkCondition,
                    observation.events.filter(\.isAlarm).map { "\($0)" })
            }
        }
    }

    /// Listens to bob until his subscription is over.
    func listen(to subscriber: Subscriber) {
        let observations = subscriber.observations()
        Task {
            for await observation in observations {
                note(
                    .bob, observation.diagnosis, observation.mediaLink.transport.networkCondition,
                    observation.events.filter(\.isAlarm).map { "\($0)" })
            }
        }
    }

    /// Everything so far, with times from a moment on.
    func samples(since start: ContinuousClock.Instant) -> [Timeline.Sample] {
        said.withLock(\.self).map { said in
            var sample = said.sample
            sample.time = (said.at - start) / .seconds(1)
            return sample
        }
    }

    private func note(
        _ party: Scenario.Party, _ diagnosis: Diagnosis, _ condition: NetworkCondition?, _ alarms: [String]
    ) {
        let now = ContinuousClock.now
        let sample = Timeline.Sample(
            time: 0, party: party, diagnosis: diagnosis, condition: condition, alarms: alarms)
        said.withLock { $0.append(Said(at: now, sample: sample)) }
    }
}
