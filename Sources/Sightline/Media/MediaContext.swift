// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

/// What publishers and subscribers get from their session.
struct MediaContext: Sendable {
    let engine: any MediaEngine
    let configuration: SessionConfiguration
    let signaling: any LinkSignaling
    let telemetry: TelemetrySender
    let quality: SessionQuality
    /// Those of the server and those of the app.
    let iceServers: [PeerConnectionConfiguration.ICEServer]
    /// Whether media may go from client to client in this session.
    let mayBeRelayed: Bool

    /// How peer connections are made.
    func peerConfiguration(_ conditioner: (any NetworkConditioner)?) -> PeerConnectionConfiguration {
        var peer = PeerConnectionConfiguration()
        peer.iceServers = iceServers
        peer.transportPolicy = configuration.transportPolicy
        peer.loopbackOnly = configuration.loopbackOnly
        peer.conditioner = conditioner
        return peer
    }

    /// An emulated network, if one is asked for.
    ///
    /// - Throws: ``SightlineError`` with code `mediaEngine` if the engine has none.
    func conditioner(_ conditions: NetworkConditions?) throws -> (any NetworkConditioner)? {
        guard let conditions else { return nil }
        guard let engine = engine as? any ConditioningMediaEngine else {
            throw SightlineError(.mediaEngine, "this media engine cannot emulate a network")
        }
        let conditioner = engine.makeConditioner(seed: 1)
        conditioner.set(conditions)
        return conditioner
    }

    /// Makes a monitor of one side of a stream.
    var monitorConfiguration: CallMonitorConfiguration {
        var monitor = CallMonitorConfiguration()
        monitor.interval = configuration.statisticsInterval
        monitor.quality = configuration.quality
        monitor.onReport = configuration.onReport
        monitor.clock = configuration.clock
        return monitor
    }
}
