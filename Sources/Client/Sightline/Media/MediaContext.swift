// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

/// What publishers and subscribers get from their session.
struct MediaContext: Sendable {
    let engine: any PeerConnectionFactory
    let signaling: any MediaSignaling
    /// `nil` if nothing is to be sent.
    let telemetry: TelemetrySender?
    let quality: SessionQuality
    /// How all peer connections are made.
    let peer: PeerConnectionConfiguration
    /// How all streams are observed.
    let monitor: CallMonitorConfiguration
    /// How long the server may take to answer, and a connection to be made.
    let requestTimeout: Duration
    let recovery: RecoveryPlan
    /// Whether media may go from client to client in this session.
    let mayBeRelayed: Bool
    /// `nil` unless the session is there to test the network.
    let pathTest: PathTest?

    var clock: SessionClock { monitor.clock }

    /// How a stream's peer connections are made.
    func peerConfiguration(_ conditioner: (any NetworkConditioner)?) -> PeerConnectionConfiguration {
        var peer = peer
        peer.conditioner = conditioner
        return peer
    }

    /// An emulated network for a stream, if one is asked for.
    ///
    /// - Throws: ``SightlineError`` with code `mediaEngine` if the engine has none.
    func conditioner(_ conditions: NetworkConditions?) throws -> (any NetworkConditioner)? {
        if let pathTest { return pathTest.conditioner }
        return try conditions.map { try engine.conditioner($0) }
    }
}

extension PeerConnectionFactory {
    /// Emulates a network.
    ///
    /// - Throws: ``SightlineError`` with code `mediaEngine` if this engine cannot.
    func conditioner(_ conditions: NetworkConditions) throws -> any NetworkConditioner {
        guard let engine = self as? any ConditioningPeerConnectionFactory else {
            throw SightlineError(.mediaEngine, "this media engine cannot emulate a network")
        }
        let conditioner = engine.makeConditioner(seed: 1)
        conditioner.set(conditions)
        return conditioner
    }
}
