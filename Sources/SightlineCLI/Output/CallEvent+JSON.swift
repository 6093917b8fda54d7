// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Sightline

extension CallEvent: Encodable {
    private enum Key: String, CodingKey {
        case time, type, role, participant, stream, stats, reason, change, message, duration, participants
        case event, connection, networkQualityLevel, networkQualityStats, diagnosis
    }

    /// One object: who, when and what, then the payload under the SDK's names.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(time, forKey: .time)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(role, forKey: .role)
        try container.encodeIfPresent(participant, forKey: .participant)
        try container.encodeIfPresent(stream, forKey: .stream)
        switch kind {
        case .publisherVideo(let stats): try container.encode(stats, forKey: .stats)
        case .publisherAudio(let stats): try container.encode(stats, forKey: .stats)
        case .publisherMediaLink(let stats): try container.encode(stats, forKey: .stats)
        case .subscriberVideo(let stats): try container.encode(stats, forKey: .stats)
        case .subscriberAudio(let stats): try container.encode(stats, forKey: .stats)
        case .subscriberMediaLink(let stats): try container.encode(stats, forKey: .stats)
        case .publisherQuality(let stats, let change):
            try container.encode(stats, forKey: .stats)
            try container.encode(change.reason, forKey: .reason)
            try container.encode(change, forKey: .change)
        case .publisherCondition(let stats, let change):
            try container.encode(stats, forKey: .stats)
            try container.encode(change.reason, forKey: .reason)
            try container.encode(change, forKey: .change)
        case .subscriberQuality(let stats, let change):
            try container.encode(stats, forKey: .stats)
            try container.encode(change.reason, forKey: .reason)
            try container.encode(change, forKey: .change)
        case .subscriberCondition(let stats, let change):
            try container.encode(stats, forKey: .stats)
            try container.encode(change.reason, forKey: .reason)
            try container.encode(change, forKey: .change)
        case .judgement(let diagnosis, let level):
            try container.encode(diagnosis, forKey: .diagnosis)
            try container.encode(level, forKey: .networkQualityLevel)
        case .warning(let event): try container.encode(event.warning, forKey: .event)
        case .level(let stats, let connection):
            try container.encode(connection, forKey: .connection)
            try container.encode(stats.level, forKey: .networkQualityLevel)
            try container.encode(stats, forKey: .networkQualityStats)
        case .life(_, let message): try container.encodeIfPresent(message, forKey: .message)
        case .summary(let summary):
            try container.encode(summary.duration, forKey: .duration)
            try container.encode(summary.participants, forKey: .participants)
        }
    }
}
