// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionProtocol

extension TelemetryOccurrence {
    /// What happened to a published stream.
    public init(_ event: PublisherEvent) {
        switch event {
        case .networkConditionChanged(let change): self.init(change)
        case .videoQualityChanged(let reason, let isRecovery):
            self.init(videoQuality: reason.name, isRecovery: isRecovery, isAlarm: event.isAlarm)
        case .callQuality(let warning): self.init(warning)
        }
    }

    /// What happened to a subscribed stream.
    public init(_ event: SubscriberEvent) {
        switch event {
        case .networkConditionChanged(let change): self.init(change)
        case .videoQualityChanged(let reason, let isRecovery):
            self.init(videoQuality: reason.name, isRecovery: isRecovery, isAlarm: event.isAlarm)
        case .callQuality(let warning): self.init(warning)
        }
    }

    private init(_ change: NetworkConditionChange) {
        self.init(
            type: "networkConditionChanged", reason: change.reason.name, isAlarm: change.isAlarm,
            side: change.side.name, from: change.from.name, to: change.to.name)
    }

    private init(_ warning: CallQualityWarning) {
        self.init(
            type: "callQuality", reason: warning.kind.rawValue, phase: warning.phase.rawValue,
            isAlarm: warning.phase == .trigger, media: warning.media?.rawValue,
            direction: warning.direction?.rawValue)
    }

    private init(videoQuality reason: String, isRecovery: Bool, isAlarm: Bool) {
        let phase: CallQualityWarning.Phase = isRecovery ? .recover : .trigger
        self.init(
            type: "videoQualityChanged", reason: reason, phase: phase.rawValue, isAlarm: isAlarm,
            media: CallQualityWarning.Media.video.rawValue)
    }
}
