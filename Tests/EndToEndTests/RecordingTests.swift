// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import MediaEngine
import Sightline
import Synchronization
import TestSupport
import Testing
import WebRTCStats

extension EndToEnd {
    /// Recordings of real calls.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct RecordingTests {
        /// What was recorded of a call, and what was said in it.
        private final class Notes: Sendable {
            struct State {
                var records: [RecordedReport] = []
                var sent: [Double: PublisherObservation] = [:]
                var received: [Double: SubscriberObservation] = [:]
            }

            let state = Mutex(State())

            func note(_ name: String, _ report: RecordedReport) {
                state.withLock { $0.records.append(report.named(name)) }
            }

            func listen(to call: Call) -> [Task<Void, Never>] {
                let (sent, received) = (call.publisher.observations(), call.subscriber.observations())
                return [
                    Task { for await one in sent { state.withLock { $0.sent[one.timestamp] = one } } },
                    Task {
                        for await one in received { state.withLock { $0.received[one.timestamp] = one } }
                    },
                ]
            }
        }

        @Test("a recorded call, written and read, is judged as it was live, with facts from elsewhere")
        func replay() async throws {
            let notes = Notes()
            let harness = try await CallHarness(onReport: { notes.note($0, $1) })
            let call = try await Call(harness) { publishing, subscribing in
                publishing.senderStatsTrack = true
                publishing.networkConditions = NetworkConditions()
                subscribing.networkConditions = NetworkConditions()
            }
            let listening = notes.listen(to: call)
            var bad = NetworkConditions()
            bad.down.loss = 20
            try call.subscriber.setNetworkConditions(bad)
            try await eventually("telemetry, and a diagnosis of problems") {
                notes.state.withLock { state in
                    state.records.contains { $0.remote?.publisher != nil }
                        && state.received.values.contains { $0.diagnosis.cause == .packetLoss }
                }
            }
            await call.end()
            for task in listening { await task.value }
            try await harness.close()
            try Self.compare(notes.state.withLock(\.self))
        }

        private static func compare(_ notes: Notes.State) throws {
            var encoder = RecordingEncoder()
            var parser = RecordingParser()
            let lines = notes.records.flatMap { encoder.line(for: $0) }
            var replay = CallReplay()
            for record in try parser.append(lines) + parser.finish() { replay.handle(record) }
            var compared = (sent: 0, received: 0)
            for observation in replay.timeline.views.flatMap(\.observations) {
                // The last ones may have come after the listeners' end.
                switch observation.content {
                case .publisher(let again):
                    guard let live = notes.sent[again.timestamp] else { continue }
                    #expect(again == live)
                    compared.sent += 1
                case .subscriber(let again):
                    guard let live = notes.received[again.timestamp] else { continue }
                    #expect(again == live)
                    compared.received += 1
                case nil: Issue.record("a replay keeps the observations")
                }
            }
            #expect(compared.sent >= 2)
            #expect(compared.received >= 2)
        }
    }
}
