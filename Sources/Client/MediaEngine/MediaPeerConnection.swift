// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// One peer connection.
///
/// Safe to use from any thread or task. Calls that are not asynchronous may wait for the engine's signaling thread, for a moment: it
/// waits for no one.
///
/// It is closed by ``close()`` or when its last owner releases it.
public protocol MediaPeerConnection: StatsSource, AnyObject {
    /// What happens on this connection, in order, from the beginning; ends when the connection closes.
    ///
    /// One stream, for one reader: the owner. It is not bounded, because nothing of it may be lost; it
    /// carries a few events a second at most.
    var events: AsyncStream<PeerConnectionEvent> { get }

    /// Adds a track that is sent. `source` may be `nil` and come later by
    /// ``MediaSender/replace(with:)-(VideoSource?)``.
    ///
    /// - Throws: ``MediaEngineError`` (`unsupported` codec, `invalidArgument`, `closed`).
    func addVideo(_ source: (any VideoSource)?, _ parameters: SendParameters) throws -> any MediaSender

    /// Adds a track that is sent.
    ///
    /// - Throws: ``MediaEngineError`` (`unsupported` codec, `invalidArgument`, `closed`).
    func addAudio(_ source: (any AudioSource)?, _ parameters: SendParameters) throws -> any MediaSender

    /// Asks for media of a kind in the next offer.
    ///
    /// - Throws: ``MediaEngineError`` (`unsupported` codec, `closed`).
    func addReceiver(_ kind: MediaKind) throws

    /// Opens a data channel.
    ///
    /// - Throws: ``MediaEngineError`` (`invalidArgument`, `closed`).
    func createDataChannel(_ configuration: DataChannelConfiguration) throws -> any DataChannel

    /// Makes an offer of what was added; with `iceRestart` one that moves the connection to fresh candidates.
    ///
    /// - Throws: ``MediaEngineError``.
    func createOffer(iceRestart: Bool) async throws -> SessionDescription

    /// Answers the remote offer.
    ///
    /// - Throws: ``MediaEngineError`` (`invalidState` without an offer).
    func createAnswer() async throws -> SessionDescription

    /// Puts a description of this side into effect; candidates are gathered from then on.
    ///
    /// - Throws: ``MediaEngineError``.
    func setLocalDescription(_ description: SessionDescription) async throws

    /// Puts the other side's description into effect.
    ///
    /// - Throws: ``MediaEngineError`` (`invalidDescription` with the line that is wrong).
    func setRemoteDescription(_ description: SessionDescription) async throws

    /// Adds a candidate of the other side. One that comes before its description is kept until that is set.
    ///
    /// - Throws: ``MediaEngineError`` (`invalidDescription`).
    func addCandidate(_ candidate: ICECandidate) async throws

    /// Bounds the bandwidth estimate, bps, in place of the bounds before; `nil` is no bound, and leaves the estimate
    /// where it is in place of `start`. Set `start` before negotiating: the engine's own start of 300 kbps keeps
    /// large frames small for many seconds.
    ///
    /// - Throws: ``MediaEngineError`` (`invalidArgument`, `closed`).
    func setBitrate(minimum: Int?, start: Int?, maximum: Int?) throws

    /// Sends this many bps, video first and padding after it, whatever congestion control believes: the rate
    /// at which it arrives is then what the network carries. For tests of a network, and short.
    ///
    /// Needs ``PeerConnectionConfiguration/allowsSaturation`` and a sender of video; may be repeated with
    /// another rate.
    ///
    /// - Throws: ``MediaEngineError`` (`unsupported`, `invalidState`, `closed`).
    func saturate(_ bitrate: Int) throws

    /// Gives the rate back to congestion control, which begins again with `start` bps; video gets
    /// `maximumVideo` bps at most, and with 0 next to none is sent until the next call, and no padding in its place.
    ///
    /// - Throws: ``MediaEngineError`` (`unsupported`, `invalidArgument`, `closed`).
    func endSaturation(start: Int, maximumVideo: Int) throws

    /// Ends the connection; final and idempotent. ``events`` ends after it.
    func close()
}

extension MediaPeerConnection {
    /// For engines that cannot: throws.
    public func saturate(_ bitrate: Int) throws {
        throw MediaEngineError(.unsupported, "this media engine cannot saturate a network")
    }

    /// For engines that cannot: throws.
    public func endSaturation(start: Int, maximumVideo: Int) throws {
        throw MediaEngineError(.unsupported, "this media engine cannot saturate a network")
    }
}

/// What happens on a peer connection.
public enum PeerConnectionEvent: Sendable {
    /// A local candidate to be sent to the other side.
    case candidate(ICECandidate)
    /// All local candidates of this round were announced.
    case gatheringComplete
    /// The state of the connection as a whole.
    case connectionState(PeerConnectionState)
    /// The state of ICE alone.
    case iceState(ICEConnectionState)
    /// The other side sends a track.
    case track(any RemoteTrack)
    /// The other side opened a data channel.
    case dataChannel(any DataChannel)
}

/// `RTCPeerConnectionState`.
public struct PeerConnectionState: RawRepresentable, Hashable, Sendable {
    /// The name in the standard.
    public let rawValue: String
    /// Names a state.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing has begun.
    public static let new = PeerConnectionState(rawValue: "new")
    /// ICE or DTLS is at work.
    public static let connecting = PeerConnectionState(rawValue: "connecting")
    /// Media can flow.
    public static let connected = PeerConnectionState(rawValue: "connected")
    /// The path was lost; it may come back.
    public static let disconnected = PeerConnectionState(rawValue: "disconnected")
    /// There is no path; an ICE restart may find one.
    public static let failed = PeerConnectionState(rawValue: "failed")
    /// Over.
    public static let closed = PeerConnectionState(rawValue: "closed")
}

/// `RTCIceConnectionState`.
public struct ICEConnectionState: RawRepresentable, Hashable, Sendable {
    /// The name in the standard.
    public let rawValue: String
    /// Names a state.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Waiting for candidates.
    public static let new = ICEConnectionState(rawValue: "new")
    /// Trying pairs.
    public static let checking = ICEConnectionState(rawValue: "checking")
    /// A usable pair was found.
    public static let connected = ICEConnectionState(rawValue: "connected")
    /// The search for pairs is over.
    public static let completed = ICEConnectionState(rawValue: "completed")
    /// Checks go unanswered.
    public static let disconnected = ICEConnectionState(rawValue: "disconnected")
    /// No pair works.
    public static let failed = ICEConnectionState(rawValue: "failed")
    /// Over.
    public static let closed = ICEConnectionState(rawValue: "closed")
}

/// An SDP offer or answer.
public struct SessionDescription: Sendable, Equatable {
    /// What a description is.
    public enum Kind: String, Sendable {
        /// Proposes.
        case offer
        /// Accepts.
        case answer
    }

    /// Offer or answer.
    public var kind: Kind
    /// The text.
    public var sdp: String

    /// Creates a description.
    public init(_ kind: Kind, sdp: String) {
        self.kind = kind
        self.sdp = sdp
    }
}

/// A trickled ICE candidate.
public struct ICECandidate: Sendable, Equatable {
    /// The media section it belongs to.
    public var mid: String?
    /// Index of that section.
    public var lineIndex: Int?
    /// The value of the `candidate` attribute, beginning with `candidate:`.
    public var candidate: String

    /// Creates a candidate.
    public init(mid: String?, lineIndex: Int?, candidate: String) {
        self.mid = mid
        self.lineIndex = lineIndex
        self.candidate = candidate
    }
}
