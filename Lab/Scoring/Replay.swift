// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// Judges a recorded call of the lab again.
package enum Replay {
    /// The timeline with what today's observers say of the call's reports in place of what was said live.
    ///
    /// - Parameters:
    ///   - timeline: What was noted live; what was said then gives the moment at which each report was judged.
    ///   - records: The call's recording, in order of time; its peer connections are named like the parties.
    ///   - configuration: The rules to judge by.
    package static func timeline(
        _ timeline: Timeline, _ records: some Sequence<RecordedReport>,
        configuration: QualityConfiguration = .extended
    ) -> Timeline {
        var replay = CallReplay(configuration: configuration, rejudgesPublishers: true)
        for record in records { replay.handle(record) }
        let times = Dictionary(
            timeline.samples.compactMap { sample in
                sample.timestamp.map { (Key(party: sample.party, timestamp: $0), sample.time) }
            }, uniquingKeysWith: { first, _ in first })
        var result = timeline
        result.samples = replay.timeline.views.flatMap { view -> [Timeline.Sample] in
            guard let party = Scenario.Party(rawValue: view.id.peerConnection) else { return [] }
            return view.observations.compactMap { observation in
                guard let content = observation.content else { return nil }
                let live = times[Key(party: party, timestamp: content.timestamp)]
                let time = live ?? (observation.time - (timeline.began ?? 0)) / 1000
                return Timeline.Sample(time: time, party: party, content)
            }
        }
        return result
    }

    /// Reports of which two timelines say different things; those that only one of them knows are not counted.
    package static func differences(_ first: Timeline, _ second: Timeline) -> Int {
        let said = Dictionary(
            second.samples.map { (Key(party: $0.party, timestamp: $0.timestamp ?? 0), $0) },
            uniquingKeysWith: { first, _ in first })
        return first.samples.count { sample in
            guard let other = said[Key(party: sample.party, timestamp: sample.timestamp ?? 0)] else {
                return false
            }
            return other.diagnosis != sample.diagnosis || other.condition != sample.condition
                || other.alarms != sample.alarms
        }
    }

    private struct Key: Hashable {
        var party: Scenario.Party
        var timestamp: Double
    }
}

extension Timeline.Sample {
    /// Takes from an observation what is scored.
    package init(time: Double, party: Scenario.Party, _ content: StreamObservation) {
        switch content {
        case .publisher(let observation): self.init(time: time, party: party, observation)
        case .subscriber(let observation): self.init(time: time, party: party, observation)
        }
    }

    /// Takes from a publisher's observation what is scored.
    package init(time: Double, party: Scenario.Party, _ observation: PublisherObservation) {
        self.init(
            time: time, party: party, diagnosis: observation.diagnosis,
            condition: observation.legs.first?.transport.networkCondition,
            alarms: observation.events.filter(\.isAlarm).map(\.text), timestamp: observation.timestamp)
    }

    /// Takes from a subscriber's observation what is scored.
    package init(time: Double, party: Scenario.Party, _ observation: SubscriberObservation) {
        self.init(
            time: time, party: party, diagnosis: observation.diagnosis,
            condition: observation.transport.networkCondition,
            alarms: observation.events.filter(\.isAlarm).map(\.text), timestamp: observation.timestamp)
    }
}

extension StreamEvent {
    fileprivate var text: String {
        switch self {
        case .networkConditionChanged(let change): change.text
        case .videoQualityChanged(let change): "video quality, \(change.reason)"
        case .callQuality(let warning): warning.text
        }
    }
}

extension NetworkConditionChange {
    fileprivate var text: String {
        "network condition \(to), \(reason), \(side)"
    }
}

extension CallQualityWarning {
    fileprivate var text: String {
        let parts = ["warning \(kind.rawValue)", direction?.rawValue, media?.rawValue]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}
