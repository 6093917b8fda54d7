// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import CallRecording

extension AccessCall {
    /// The call with what today's rules say of its recordings in place of what was said live.
    ///
    /// - Parameter recordings: What publisher and subscriber recorded, in order of time; a bystander's is left as it was.
    package func replayed(_ recordings: [[RecordedReport]]) -> AccessCall {
        var replay = CallReplay(rejudgesPublishers: true)
        let records = recordings.enumerated().flatMap { index, records in records.map { (index, $0) } }
        for (index, record) in records.sorted(by: { $0.1.time < $1.1.time }) {
            replay.handle(record, recording: index)
        }
        var call = self
        call.said = said.filter { $0.end == .bystander }
        call.said += replay.timeline.views.filter { $0.id.track == nil }.flatMap { view in
            view.observations.map { observation in
                Said(
                    view.id.role == .publisher ? .publisher : .subscriber,
                    time: (observation.time - circumstances.began) / 1000,
                    observation.diagnosis)
            }
        }
        return call
    }
}
