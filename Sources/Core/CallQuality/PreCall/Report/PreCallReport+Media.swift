// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension PreCallReport {
    /// Result of one medium.
    public struct Media: Sendable, Equatable, Codable {
        /// Whether it can be published.
        public var isSupported: Bool
        /// Why not; `nil` if it can.
        public var reason: PreCallReason?
        /// Confidence, 0 to 1.
        public var confidence: Double?
        /// Best achievable grade; `nil` if unknown.
        public var grade: Grade?
        /// Mean opinion score of what came back, 1 to 4.5 (audio) or 5 (video).
        public var mos: Double?
        /// Frames a second that came back; `nil` for audio.
        ///
        /// More than the test's own rate where the test needed more packets to be sure.
        public var frameRate: Double?
        /// As the media router received it.
        public var uplink = Figures()
        /// As the client received it from the media router.
        public var downlink = Figures()

        /// Describes a medium.
        public init(isSupported: Bool, reason: PreCallReason? = nil) {
            self.isSupported = isSupported
            self.reason = reason
        }
    }

    /// Figures of one medium in one direction.
    public struct Figures: Sendable, Equatable, Codable {
        /// Payload that arrived, bps.
        public var bitrate: Double?
        /// Seconds.
        public var jitter: Double?

        /// Nothing known.
        public init() {}
    }

    /// Measurements of one direction of the path.
    public struct Path: Sendable, Equatable, Codable {
        /// Capacity, bps: delivered at the far end under higher load, IP and UDP headers
        /// included.
        public var bandwidth: Double?
        /// Whether it carried the whole load, so that the bandwidth is at least this: also where the media engine cannot
        /// fill a network, and the load was audio and video alone.
        public var bandwidthIsAtLeast = false
        /// Network loss before any repair, 0 to 1, of audio and video together.
        public var fractionLost: Double?
        /// Packets that the loss rests on.
        public var packets: Double?
        /// Seconds; of the client's peer connection in this direction.
        public var roundTripTime: Double?
        /// Whether this direction is good enough for audio; `nil` if that could not be determined.
        public var supportsAudio: Bool?
        /// Whether this direction is good enough for video; `nil` if that could not be determined.
        public var supportsVideo: Bool?

        /// Nothing known.
        public init() {}
    }

    /// How the media router was reached.
    public struct Connectivity: Sendable, Equatable, Codable {
        /// Local candidates by kind.
        public var candidates: [CandidateCount] = []
        /// The selected candidate pair; `nil` while there is none.
        public var selectedCandidatePair: CandidatePair?
        /// Whether media needed a TURN server; `nil` while that is unknown.
        public var turnNeeded: Bool?

        /// Nothing known.
        public init() {}
    }

    /// Number of candidates of one kind.
    public struct CandidateCount: Sendable, Equatable, Codable {
        /// `host`, `srflx`, `prflx` or `relay`.
        public var type: String
        /// `udp` or `tcp`.
        public var transport: String
        /// The number.
        public var count: Int

        /// Counts candidates.
        public init(type: String, transport: String, count: Int) {
            self.type = type
            self.transport = transport
            self.count = count
        }
    }

    /// Two candidates that found each other; without addresses, which are no one else's business.
    public struct CandidatePair: Sendable, Equatable, Codable {
        /// Kind of the client's candidate.
        public var localType: String
        /// Kind of the media router's candidate.
        public var remoteType: String
        /// `udp` or `tcp`.
        public var transport: String

        /// Describes a pair.
        public init(localType: String, remoteType: String, transport: String) {
            self.localType = localType
            self.remoteType = remoteType
            self.transport = transport
        }
    }
}
