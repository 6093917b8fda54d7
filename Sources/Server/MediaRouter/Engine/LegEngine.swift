// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaPolicy
import NetworkEmulation
import RouterWire
import WebRTCStats

/// Numbers a leg in its engine.
///
/// Larger is newer; a number is used once.
struct LegNumber: Hashable, Comparable, Sendable {
    let rawValue: UInt64

    static func < (left: LegNumber, right: LegNumber) -> Bool { left.rawValue < right.rawValue }
}

/// Numbers a stream in its engine.
struct StreamNumber: Hashable, Sendable {
    let rawValue: UInt64
}

/// Numbers an emulated network in its engine.
struct NetworkNumber: Hashable, Sendable {
    let rawValue: UInt64
}

/// How a router's engine is set up.
struct RouterEngineConfiguration: Sendable {
    /// Threads that run libwebrtc's task queues.
    var queueThreads = 2
    /// Gathers candidates on the loopback interface only.
    var loopbackOnly = false
    /// Which remote candidates are used.
    var candidates: CandidateKinds = [.publicAddresses, .privateAddresses]
    /// UDP ports that legs may take; `nil` for any.
    var ports: ClosedRange<UInt16>?
    /// What clients are given of the machine's own addresses; `nil` for what they are.
    var announced: AnnouncedAddresses?
    /// Start bitrate of a new subscriber leg, bps.
    var startBitrate = 600_000
    /// The most that a subscriber leg may use, bps.
    var maximumBitrate = 6_000_000
}

/// Unsolicited event of a leg.
enum RouterEngineEvent: Sendable, Equatable {
    /// A local candidate, in the terms of the client's offer.
    case candidate(LegNumber, mid: String, lineIndex: Int, candidate: String)
    case connectionState(LegNumber, LegConnectionState)
}

/// State of a leg's peer connection, with the names of `RTCPeerConnectionState`.
enum LegConnectionState: String, Sendable {
    case new, connecting, connected, disconnected, failed, closed

    init?(_ raw: Int32) {
        switch Int(raw) {
        case SL_CONNECTION_NEW: self = .new
        case SL_CONNECTION_CONNECTING: self = .connecting
        case SL_CONNECTION_CONNECTED: self = .connected
        case SL_CONNECTION_DISCONNECTED: self = .disconnected
        case SL_CONNECTION_FAILED: self = .failed
        case SL_CONNECTION_CLOSED: self = .closed
        default: return nil
        }
    }
}

/// State of a subscriber leg's forwarding, as in `sl_router_forwarding`.
struct Forwarding: Equatable, Sendable {
    /// Whether the leg's last offer asked for video, and the stream had some.
    var hasVideo = true
    var wanted: LayerID?
    var sent: LayerID?
    /// bps; 0 while congestion control has paused the video, `nil` before the first frame.
    ///
    /// Stands still while no video is sent.
    var allocated: Double?
    /// Estimated capacity of the leg, bps; `nil` before congestion control has begun.
    var estimated: Double?
    var framesSent: UInt64 = 0
    var framesWithheld: UInt64 = 0
    var layerSwitches: UInt64 = 0
    var keyFrameRequests: UInt64 = 0
}

/// The engine as the router needs it: legs by number.
///
/// Nothing here waits; results and events come on a thread of the engine's, in the order in which things
/// happened.
protocol LegEngine: Sendable {
    /// The end of an operation; runs exactly once, also when the leg is removed first.
    typealias Completion<Value> = @Sendable (Result<Value, RouterEngineError>) -> Void

    /// Adds a leg and answers its first offer. After an error the leg does not exist.
    ///
    /// - Parameter network: What its packets pass, made as a perfect one if there is none of this number; `nil` for nothing.
    func add(
        _ kind: StreamRole, leg: LegNumber, stream: StreamNumber, offer: String, network: NetworkNumber?,
        then completion: @escaping Completion<String>)
    /// Answers a later offer of a leg. An error leaves the leg as it was, but for `closed`: such a leg is to be removed.
    func answer(_ offer: String, on leg: LegNumber, then completion: @escaping Completion<String>)
    /// Adds a remote candidate, in the terms of the client's offer.
    func addCandidate(
        _ candidate: String, mid: String?, lineIndex: Int?, to leg: LegNumber,
        then completion: @escaping Completion<Void>)
    /// Ends a leg; nothing if there is none.
    func remove(_ leg: LegNumber)
    /// The getStats() report of a leg.
    func statistics(of leg: LegNumber, then completion: @escaping Completion<StatsReport>)
    /// The layers of a stream that subscribers can choose from now; empty if there is no such stream.
    func layers(of stream: StreamNumber) -> [LayerCounters]
    /// State of a subscriber leg's forwarding; `nil` if there is no such leg.
    func forwarding(of leg: LegNumber) -> Forwarding?
    /// Takes what packets have shown of the path that a leg's media take since the last time; `nil` if too few came.
    func takePathTiming(of leg: LegNumber) -> PathTiming?
    /// Chooses the layer that a subscriber leg is sent; `nil` turns video off.
    func select(_ layer: LayerID?, stoppingFirst: Bool, on leg: LegNumber)
    /// Omits what is above a temporal layer, of whatever layer a subscriber leg is sent.
    func limitTemporalLayers(_ highest: Int, on leg: LegNumber)
    /// Finds out at once whether a subscriber leg carries `bitrate` bps.
    func probe(_ leg: LegNumber, bitrate: Double)
    /// Sends `bitrate` bps on a subscriber leg, padding after media, whatever congestion control believes;
    /// `nil` gives the rate back to it.
    func saturate(_ leg: LegNumber, bitrate: Double?)
    /// Changes an emulated network from now on; nothing if there is none.
    func set(_ conditions: NetworkConditions, of network: NetworkNumber)
    /// What an emulated network has done since it was made; zero if there is none.
    func counters(of network: NetworkNumber, _ direction: NetworkConditions.Direction) -> NetworkCounters
    /// Forgets an emulated network; legs that have it keep it.
    func forget(_ network: NetworkNumber)
}
