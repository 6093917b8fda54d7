// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// How a peer connection is made.
public struct PeerConnectionConfiguration: Sendable {
    /// Which candidates may be used.
    public enum TransportPolicy: String, Sendable, Codable {
        /// All kinds.
        case all
        /// Only those relayed by a TURN server.
        case relay
    }

    /// STUN and TURN servers; none by default.
    public var iceServers: [ICEServer] = []
    /// Which candidates may be used.
    public var transportPolicy: TransportPolicy = .all
    /// Uses the loopback interface only.
    public var loopbackOnly = false
    /// Sends next to nothing in pauses of speech (Opus DTX).
    public var usesDiscontinuousTransmission = false
    /// Sends Opus at one rate, whatever there is to be heard; the rate is that of the sender's encoding.
    public var usesConstantAudioBitrate = false
    /// Lets ``MediaPeerConnection/saturate(_:)`` be used.
    ///
    /// Video whose estimate falls below its minimum is then suspended.
    public var allowsSaturation = false
    /// The emulated network between the engine and its sockets; `nil` leaves the real one alone.
    public var conditioner: (any NetworkConditioner)?

    /// The defaults: no servers, every interface, no emulation.
    public init() {}
}
