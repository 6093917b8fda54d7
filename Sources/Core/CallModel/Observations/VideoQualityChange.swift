// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The quality of a stream's video changed; the statistics are those of the observation that carries the event.
public struct VideoQualityChange: Sendable, Equatable, Codable {
    /// The subscriber's connection of a relayed publisher; `nil` otherwise.
    public var connectionId: String?
    /// The subscriber of a relayed publisher; `nil` otherwise.
    public var subscriberId: String?
    /// What changed it.
    public var reason: VideoEventReason
    /// Whether that begins or ends.
    ///
    /// A limit and an interruption begin (`trigger`) and end (`recover`); another codec or size only begins.
    public var phase: CallQualityWarning.Phase

    /// Creates a change.
    public init(
        _ reason: VideoEventReason, _ phase: CallQualityWarning.Phase = .trigger, connectionId: String? = nil,
        subscriberId: String? = nil
    ) {
        self.reason = reason
        self.phase = phase
        self.connectionId = connectionId
        self.subscriberId = subscriberId
    }

    /// Whether it is the begin of something bad; an end never is, and neither is another codec or size.
    public var isAlarm: Bool {
        switch reason {
        case .qualityDegradationBandwidth, .qualityDegradationCPU, .qualityDegradationOther,
            .videoInterruption:
            phase == .trigger
        default: false
        }
    }

    /// It in words, such as `CPU is over`.
    package var text: String { "\(reason.label)\(phase == .recover ? " is over" : "")" }
}
