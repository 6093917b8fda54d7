// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import FallbackRules

/// What the server asks of the router.
public enum RouterCommand: Sendable, Equatable {
    /// Adds a leg and answers its first offer. A second publisher leg of a stream takes its place:
    /// subscribers go over to it with its first key frame, and the old one is to be removed then.
    case add(AddLeg)
    /// Answers a later offer of a leg, such as an ICE restart.
    case offer(LegOffer)
    /// A trickled candidate of the client.
    case candidate(LegCandidate)
    /// What a subscriber leg wants from now on.
    case prefer(LegPreference)
    /// Fills a subscriber leg's network for a while, to see what arrives.
    case saturate(LegSaturation)
    /// Ends a leg. Twice is no mistake.
    case remove(LegName)
}

/// Names a leg.
public struct LegName: Sendable, Equatable, Codable {
    /// The server's name for it.
    public var leg: String

    /// Names a leg.
    public init(leg: String) { self.leg = leg }
}

/// Which end of a stream a leg is.
public enum LegKind: String, Sendable, Codable {
    /// Media comes in.
    case publisher
    /// Media goes out.
    case subscriber
}

/// A leg to be added.
public struct AddLeg: Sendable, Equatable, Codable {
    /// The server's name for it; not in use.
    public var leg: String
    /// Which end it is.
    public var kind: LegKind
    /// The stream that it brings or wants.
    public var stream: String
    /// The client's SDP offer.
    public var offer: String
    /// What a subscriber wants; `nil` for everything.
    public var preference: LayerPreference?
    /// When a subscriber's video gives way to its audio; `nil` for never.
    public var audioFallback: AudioFallbackRules?
    /// Whether it tests the network: it may be saturated, and is reported four times a second.
    public var testsNetwork: Bool?

    /// Describes a leg.
    public init(
        leg: String, kind: LegKind, stream: String, offer: String, preference: LayerPreference? = nil,
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
public struct LegSaturation: Sendable, Equatable, Codable {
    /// The leg; one that tests the network.
    public var leg: String
    /// What is sent, bps, padding after media.
    public var bitrate: Double

    /// Makes a request.
    public init(leg: String, bitrate: Double) {
        self.leg = leg
        self.bitrate = bitrate
    }
}

/// A later offer of a leg.
public struct LegOffer: Sendable, Equatable, Codable {
    /// The leg.
    public var leg: String
    /// The client's SDP offer.
    public var offer: String

    /// Makes an offer.
    public init(leg: String, offer: String) {
        self.leg = leg
        self.offer = offer
    }
}

/// A trickled ICE candidate in the terms of the client's offer.
public struct LegCandidate: Sendable, Equatable, Codable {
    /// The leg.
    public var leg: String
    /// The media section.
    public var mid: String?
    /// Index of the media section.
    public var lineIndex: Int?
    /// The value of an `a=` line; empty means that there are no more.
    public var candidate: String

    /// Makes a candidate.
    public init(leg: String, mid: String?, lineIndex: Int?, candidate: String) {
        self.leg = leg
        self.mid = mid
        self.lineIndex = lineIndex
        self.candidate = candidate
    }
}

/// What a subscriber leg wants.
public struct LegPreference: Sendable, Equatable, Codable {
    /// The leg.
    public var leg: String
    /// What it wants.
    public var preference: LayerPreference

    /// Makes a wish.
    public init(leg: String, preference: LayerPreference) {
        self.leg = leg
        self.preference = preference
    }
}

/// Which video a subscription asks for.
public struct LayerPreference: Sendable, Equatable, Codable {
    /// Whether video is wanted at all.
    public var isVideoOn: Bool
    /// The widest layer that is wanted, pixels; `nil` for no bound.
    public var maximumWidth: Int?
    /// The highest layer that is wanted, pixels; `nil` for no bound.
    public var maximumHeight: Int?
    /// The most pictures a second that are wanted; `nil` for no bound.
    public var maximumFrameRate: Double?

    /// Everything, unless bounded.
    public init(
        isVideoOn: Bool = true, maximumWidth: Int? = nil, maximumHeight: Int? = nil,
        maximumFrameRate: Double? = nil
    ) {
        self.isVideoOn = isVideoOn
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
        self.maximumFrameRate = maximumFrameRate
    }
}
