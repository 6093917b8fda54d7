// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// Totals of a call, per participant and stream.
struct CallSummary: Sendable, Encodable {
    /// Seconds from the start to the end of the command's call.
    var duration: Double
    var participants: [Participant]

    /// One end of one stream.
    struct Participant: Sendable, Encodable {
        var participant: String
        var role: StreamRole
        var stream: String?
        var audio: Media?
        var video: Media?
        /// Seconds from publishing or subscribing to the first frame; `nil` without any.
        ///
        /// Subscribers only.
        var timeToFirstFrame: Double?
        /// Seconds to the first frame of the published size; `nil` without any.
        ///
        /// Subscribers only.
        var timeToPublishedSize: Double?
        /// Counters of the emulated network; `nil` without one.
        var network: Network?
    }

    /// The totals of one kind of media.
    struct Media: Sendable, Encodable {
        var packets: UInt64?
        var packetsLost: UInt64?
        var bytes: UInt64?
        /// Packets lost of those sent, `0...1`, as estimated; `nil` without packets.
        var fractionLost: Double?
        var freezeCount: UInt64?
        var pauseCount: UInt64?
    }

    /// Counters of the emulated network for what the participant sent and received.
    struct Network: Sendable, Encodable {
        var up: Link
        var down: Link

        struct Link: Sendable, Encodable {
            var packetsOffered: UInt64
            var droppedByLoss: UInt64
            var droppedByQueue: UInt64
            var droppedByOutage: UInt64
            /// Packets lost of those offered, `0...1`; `nil` without packets.
            var fractionLost: Double?

            init(_ counters: NetworkCounters) {
                packetsOffered = counters.packetsOffered
                droppedByLoss = counters.droppedByLoss
                droppedByQueue = counters.droppedByQueue
                droppedByOutage = counters.droppedByOutage
                fractionLost = counters.lossFraction
            }
        }
    }
}
