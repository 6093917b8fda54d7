// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import NetworkEmulation

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
    /// Sets when a leg is reported from now on.
    case align(LegAlignment)
    /// Changes the emulated network of a client's legs; nothing happens if it has none any more.
    case emulate(ClientNetwork)
    /// Ends a leg. Twice is no mistake.
    case remove(LegRemoval)
}

/// Which leg is to end.
package struct LegRemoval: Sendable, Equatable, Codable {
    /// The server's name for it.
    package var leg: LegName

    /// Names a leg.
    package init(leg: LegName) { self.leg = leg }
}

/// A leg to be added.
package struct AddLeg: Sendable, Equatable, Codable {
    /// The server's name for it; not in use.
    package var leg: LegName
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
    /// The network that the leg's packets are to pass; `nil` for none, now and later.
    package var network: ClientNetwork?

    /// Describes a leg.
    package init(
        leg: LegName, kind: StreamRole, stream: String, offer: String, preference: LayerPreference? = nil,
        audioFallback: AudioFallbackRules? = nil, testsNetwork: Bool? = nil, network: ClientNetwork? = nil
    ) {
        self.leg = leg
        self.kind = kind
        self.stream = stream
        self.offer = offer
        self.preference = preference
        self.audioFallback = audioFallback
        self.testsNetwork = testsNetwork
        self.network = network
    }
}

/// The emulated network of one client, which all its legs have in common, as they would its access line.
///
/// It is there as long as any of the legs. All their packets pass it, those of ICE too.
package struct ClientNetwork: Sendable, Equatable, Codable {
    /// The server's name for it.
    package var network: String
    /// What happens to packets from now on, with the client's directions; `nil` for nothing.
    package var conditions: NetworkConditions?

    /// Describes a network.
    package init(network: String, conditions: NetworkConditions? = nil) {
        self.network = network
        self.conditions = conditions
    }
}

/// How a subscriber leg's network is to be filled.
package struct LegSaturation: Sendable, Equatable, Codable {
    /// The leg; one that tests the network.
    package var leg: LegName
    /// What is sent, bps, padding after media.
    package var bitrate: Double
    /// For how long, seconds; the router has a limit of its own.
    package var seconds: Double

    /// Creates a request.
    package init(leg: LegName, bitrate: Double, seconds: Double) {
        self.leg = leg
        self.bitrate = bitrate
        self.seconds = seconds
    }
}

/// When a leg is to be reported next; the ones after that follow at the usual interval.
package struct LegAlignment: Sendable, Equatable, Codable {
    /// The leg; one that does not test the network.
    package var leg: LegName
    /// From now, in seconds, from 0 to the interval; what is beyond that counts as that.
    package var seconds: Double

    /// Creates a request.
    package init(leg: LegName, seconds: Double) {
        self.leg = leg
        self.seconds = seconds
    }
}

/// A later offer of a leg.
package struct LegOffer: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: LegName
    /// The client's SDP offer.
    package var offer: String

    /// Creates an offer.
    package init(leg: LegName, offer: String) {
        self.leg = leg
        self.offer = offer
    }
}

/// Preferences of a subscriber leg.
package struct LegPreference: Sendable, Equatable, Codable {
    /// The leg.
    package var leg: LegName
    /// Its preferences.
    package var preference: LayerPreference

    /// Creates a preference.
    package init(leg: LegName, preference: LayerPreference) {
        self.leg = leg
        self.preference = preference
    }
}
