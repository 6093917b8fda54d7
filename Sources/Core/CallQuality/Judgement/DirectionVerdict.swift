// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What is thought of one direction of a transport.
struct DirectionVerdict: Sendable, Equatable {
    var condition = NetworkCondition.unknown
    var reason = NetworkReason.unknown
    /// What drives the direction's figures, also while the condition is unknown.
    var cause = PathCause.none
    /// `1...5`; `nil` while unknown.
    var lossGrade: Int?
    var bandwidthGrade: Int?
    /// Network loss in the window, `0...1`.
    var fractionLost: Double?
    /// The kind of media that alone is lost; `nil` if both are, or no one knows.
    var lostKind: MediaKind?
    var coverage: Double?
    /// Whether what gets through stands for an estimate that no one reports.
    var isInferred = false
    var isOutage = false
    /// Whether it is one because nothing at all comes, of which neither direction is to blame: see ``OutageDetector/isWhole``.
    var isWholeOutage = false
    /// Whether all packets are held up for so long that it is worth a word, as a media router sees it.
    var isHeldUp = false
    /// Whether packets come as steadily as they were sent: see ``SteadyPath``.
    var isSteady = false
    /// What packets have shown a media router of the path since the last tick, oldest first.
    var pathSeconds: [PathSecond] = []
    var isQueueing = false
    /// Whether it is, or was within the last seconds.
    var hasQueued = false
    /// Whether the round trip time has a queue of the other direction in it.
    var queuesElsewhere = false
    /// Whether the network is fine again and only the estimate still climbs.
    var isRecovering = false
    /// Whether congestion control's estimate climbs steadily: nothing is known to hold it.
    var isClimbing = false
    /// Whether nothing is wanted of the direction; `nil` if that is unknown.
    var isIdle: Bool?
}
