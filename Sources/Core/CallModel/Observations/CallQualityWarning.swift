// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A call quality warning, raised or cleared.
///
/// The first seven kinds and their names are Sinch's.
public struct CallQualityWarning: Sendable, Hashable, Codable {
    /// The kind of warning.
    public var kind: Kind
    /// Whether it was raised or cleared.
    public var phase: Phase
    /// The media it is about; `nil` where that does not apply.
    public var media: MediaKind?
    /// The direction of the RTP stream; `nil` where that does not apply.
    public var direction: Direction?
    /// The subscriber's connection of a relayed publisher; `nil` otherwise, and for a microphone, a camera and an encoder:
    /// they are the stream's, however many its connections.
    public var connectionId: String?
    /// Why it was cleared; `nil` for a warning that is raised.
    public var recovery: Recovery?

    /// Kinds of warnings.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// The round trip time of media is high, by RTCP.
        case highRemoteInboundRTT
        /// Received packets arrive irregularly.
        case highInboundJitter
        /// Received packets are lost by the network.
        case highInboundPacketLoss
        /// ICE is neither connected nor completed in an established call.
        case missingMediaStream
        /// The audio level is constant.
        case constantAudioLevel
        /// The audio level is zero.
        case zeroAudioLevel
        /// The device's output volume is low.
        case lowOSOutputVolumeLevel
        /// Received audio has a low opinion score.
        case lowMOS
        /// Sent packets are lost by the network.
        case highOutboundPacketLoss
        /// The network carries much less than what is wanted.
        case lowBandwidth
        /// Nothing is received that should be.
        case noMediaReceived
        /// Nothing is sent that should be.
        case noMediaSent
        /// Video is frozen.
        case frozenVideo
        /// The encoder is limited by the processor.
        case cpuLimited
        /// Decoding takes nearly all of the available time.
        case decoderOverloaded
        /// Much of the audio is audibly concealed.
        case highAudioConcealment
        /// A microphone that is not muted is silent.
        case silentMicrophone
        /// The camera delivers far fewer frames than wanted.
        case lowCaptureRate
        /// Audio and video of one sender are played at different times; `media` is the one that is late.
        case outOfSync
        /// Someone speaks, or something is loud, into a microphone that is muted.
        case speakingWhileMuted
    }

    /// Begin or end.
    public enum Phase: String, Hashable, Codable, Sendable, CaseIterable {
        /// The warning is raised.
        case trigger
        /// The warning is cleared.
        case recover
    }

    /// Why a warning is cleared.
    public enum Recovery: String, Hashable, Codable, Sendable, CaseIterable {
        /// What was wrong is no longer so.
        case measured
        /// There is nothing left that it could be about: the medium is switched off or muted, or the stream or its
        /// connection ended.
        case notApplicable
    }

    /// The direction of a warning's RTP stream.
    public enum Direction: String, Hashable, Codable, Sendable, CaseIterable {
        /// Received.
        case inbound
        /// Sent.
        case outbound
    }

    /// Creates a warning.
    public init(
        kind: Kind, phase: Phase, media: MediaKind? = nil, direction: Direction? = nil,
        connectionId: String? = nil, recovery: Recovery? = nil
    ) {
        self.kind = kind
        self.phase = phase
        self.media = media
        self.direction = direction
        self.connectionId = connectionId
        self.recovery = recovery
    }
}
