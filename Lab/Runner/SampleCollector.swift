// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import CallRecording
import Foundation
import LabScoring
import Sightline
import Synchronization

/// Gathers what both observers are given and what they say, with the time at which it was said.
///
/// All of it stays in memory during the call: writing files would disturb it.
final class SampleCollector: Sendable {
    private struct State {
        var said: [(at: ContinuousClock.Instant, sample: Timeline.Sample)] = []
        var records: [RecordedReport] = []
    }

    private let state = Mutex(State())

    /// Inputs of the observers so far.
    var records: [RecordedReport] { state.withLock(\.records) }

    /// Collects the inputs of a participant's observer.
    func sink(for party: Scenario.Party) -> @Sendable (RecordedReport) -> Void {
        { [self] report in
            var record = report.named(party.rawValue)
            record.time = Self.unixTime
            state.withLock { $0.records.append(record) }
        }
    }

    /// Listens to alice until her stream is over.
    func listen(to publisher: Publisher) {
        let observations = publisher.observations()
        Task { for await observation in observations { note(.init(time: 0, party: .alice, observation)) } }
    }

    /// Listens to bob until his subscription is over.
    func listen(to subscriber: Subscriber) {
        let observations = subscriber.observations()
        Task { for await observation in observations { note(.init(time: 0, party: .bob, observation)) } }
    }

    /// Everything so far, with times from a moment on.
    func samples(since start: ContinuousClock.Instant) -> [Timeline.Sample] {
        state.withLock(\.said).map { said in
            var sample = said.sample
            sample.time = (said.at - start).seconds
            return sample
        }
    }

    /// Now, in whole Unix ms.
    static var unixTime: Double { (Date().timeIntervalSince1970 * 1000).rounded() }

    private func note(_ sample: Timeline.Sample) {
        let now = ContinuousClock.now
        state.withLock { $0.said.append((now, sample)) }
    }
}
