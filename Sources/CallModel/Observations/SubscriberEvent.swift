// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a tick caused for a subscribed stream.
public enum SubscriberEvent: Sendable, Equatable, Codable {
    /// The network condition of its own or of the publisher's transport changed.
    case networkConditionChanged(NetworkConditionChange)
    /// The quality of its video changed, for the worse or for the better.
    case videoQualityChanged(SubscriberVideoEventReason, isRecovery: Bool)
    /// A call quality warning was raised or taken back.
    case callQuality(CallQualityWarning)

    /// Whether it tells of something bad; the others are information.
    public var isAlarm: Bool {
        switch self {
        case .networkConditionChanged(let change): change.isAlarm
        case .callQuality(let warning): warning.phase == .trigger
        case .videoQualityChanged(let reason, let isRecovery): reason == .videoInterruption && !isRecovery
        }
    }
}
