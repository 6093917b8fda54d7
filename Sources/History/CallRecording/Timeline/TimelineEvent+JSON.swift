// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension TimelineEvent: Encodable {
    private enum Key: String, CodingKey {
        case time, type, role, pc, track, recording, stream, alarm
        case diagnosis, from, to, side, reason, localCondition, remoteCondition, phase, event, stats
    }

    /// The event's name: that of a stream's events, or `diagnosisChanged`.
    public var type: String {
        switch kind {
        case .diagnosisChanged: "diagnosisChanged"
        case .stream(let event): event.type
        }
    }

    /// Writes one object: `time`, `type`, `role`, `pc`, `track` where there are several of a kind, `recording` (its place), `stream` if known, `alarm`, and the
    /// payload under the SDK's names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(time, forKey: .time)
        try container.encode(type, forKey: .type)
        try container.encode(view.role, forKey: .role)
        try container.encode(view.peerConnection, forKey: .pc)
        try container.encodeIfPresent(view.track, forKey: .track)
        try container.encode(view.recording, forKey: .recording)
        try container.encodeIfPresent(stream, forKey: .stream)
        try container.encode(isAlarm, forKey: .alarm)
        try encodePayload(&container)
    }

    private func encodePayload(_ container: inout KeyedEncodingContainer<Key>) throws {
        switch kind {
        case .diagnosisChanged(let diagnosis):
            try container.encode(diagnosis, forKey: .diagnosis)
        case .stream(.networkConditionChanged(let change)):
            try encode(change, &container)
        case .stream(.videoQualityChanged(let change)):
            try container.encode(change.reason, forKey: .reason)
            try container.encode(change.phase, forKey: .phase)
            try encodeVideo(change, &container)
        case .stream(.callQuality(let warning)):
            try container.encode(warning, forKey: .event)
        }
    }

    private func encode(
        _ change: NetworkConditionChange, _ container: inout KeyedEncodingContainer<Key>
    ) throws {
        try container.encode(change.from, forKey: .from)
        try container.encode(change.to, forKey: .to)
        try container.encode(change.side, forKey: .side)
        try container.encode(change.reason, forKey: .reason)
        try container.encode(change.localCondition, forKey: .localCondition)
        try container.encode(change.remoteCondition, forKey: .remoteCondition)
        switch content {
        case .publisher(let observation):
            try container.encodeIfPresent(observation.link(of: change), forKey: .stats)
        case .subscriber(let observation):
            try container.encode(SubscriberMediaLinkStats(observation), forKey: .stats)
        case nil: break
        }
    }

    private func encodeVideo(
        _ change: VideoQualityChange, _ container: inout KeyedEncodingContainer<Key>
    ) throws {
        switch content {
        case .publisher(let observation):
            try container.encodeIfPresent(observation.video(of: change), forKey: .stats)
        case .subscriber(let observation):
            try container.encodeIfPresent(SubscriberVideoNetworkStats(observation), forKey: .stats)
        case nil: break
        }
    }
}
