// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy

/// Command of the server to the router.
package enum RouterCommand: Sendable, Equatable {
    /// Adds a leg and answers its first offer. A second publisher leg of a stream takes its place:
    /// subscribers go over to it with its first key frame, and the old one is to be removed then.
    case add(AddLeg)
    /// Answers a later offer of a leg, such as an ICE restart.
    case offer(LegOffer)
    /// A trickled candidate of the client.
    case candidate(LegCandidate)
    /// New preferences of a subscriber leg.
    case prefer(LegPreference)
    /// Saturates a subscriber leg's path for a while, to measure what arrives.
    case saturate(LegSaturation)
    /// Ends a leg. Twice is no mistake.
    case remove(LegName)
}

/// Names a leg.
package struct LegName: Sendable, Equatable, Codable {
    /// The server's name for it.
    package var leg: String

    /// Names a leg.
    package init(leg: String) { self.leg = leg }
}

/// A leg to be added.
package struct AddLeg: Sendable, Equatable, Codable {
    /// The server's name for it; not in use.
    package var leg: String
    /// Which end it is.
    package var kind: StreamRole
    /// The stream that it brings or wants.
    package var stream: String
    /// The client's SDP offer.
    package var offer: String
    /// Preferences of a subscriber; `nil` for everything.
    package var preference: LayerPreference?
    /// Rules of a subscriber's audio fallback; `nil` for none.
    package var audioFallback: AudioFallbackRules?
    /// Whether it tests the network: it may be saturated, and is reported four times a second.
    package var testsNetwork: Bool?

    /// Describes a leg.
    package init(
        leg: String, kind: StreamRole, stream: String, offer: String, preference: LayerPreference? = nil,
        audioFallback: AudioFallbackRules? = nil, testsNetwork: Bool? = nil
    ) {
        self.leg = leg
        self.kind = kind
        self.stream = stream
        self.offer = offer
        self.preference = preference
        self.audioFallback = audioFallback
        self.testsNetwork = testsNetwork
    }
}

/// How a subscriber leg's network is to be filled.
package struct LegSaturation: Sendable, Equatable, Codable {
    /// The leg; one that tests the network.
    package var leg: String
    /// What is sent, bps, padding after media.
    package var bitrate: Double

    /// Creates a request.
    package init(leg: String, bitrate: Double) {
        self.leg = leg
        self.bitrate = bitrate
    }
}

/// A later offer of a leg.
package struct LegOffer: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: String
    /// The client's SDP offer.
    package var offer: String

    /// Creates an offer.
    package init(leg: String, offer: String) {
        self.leg = leg
        self.offer = offer
    }
}

/// Preferences of a subscriber leg.
package struct LegPreference: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: String
    /// Its preferences.
    package var preference: LayerPreference

    /// Creates a preference.
    package init(leg: String, preference: LayerPreference) {
        self.leg = leg
        self.preference = preference
    }
}
