// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import SessionProtocol
import Synchronization
import WebRTCStats

/// What publishing and subscribing have in common: the link, the present peer connection, the monitor, the
/// server's facts.
final class MediaBox: Sendable {
    private struct State {
        var link: MediaLink?
        var peer: (any MediaPeerConnection)?
        var leg: String?
        var monitor: CallMonitor?
        var facts = FactsBook()
        var isOver = false
    }

    let context: MediaContext
    let conditioner: (any NetworkConditioner)?
    private let state = Mutex(State())

    init(_ context: MediaContext, conditions: NetworkConditions?) throws {
        self.context = context
        conditioner = try context.conditioner(conditions)
    }

    var link: MediaLink? { state.withLock { $0.link } }
    var leg: String? { state.withLock { $0.leg } }
    private var clock: SessionClock { context.configuration.clock }

    /// Makes the link that the media go by.
    func makeLink(_ owner: any LinkOwner) -> MediaLink {
        let link = MediaLink(
            owner: owner, signaling: context.signaling, engine: context.engine,
            configuration: context.configuration)
        state.withLock { $0.link = link }
        return link
    }

    /// A peer connection takes over; observing begins with the first.
    func activate(
        _ peer: any MediaPeerConnection, leg: String, role: StreamRole, inputs: any MonitorInputs,
        _ listener: @escaping @Sendable (CallObservation) -> Void
    ) {
        let monitor = state.withLock { state -> CallMonitor? in
            guard !state.isOver else { return nil }
            state.peer = peer
            state.leg = leg
            state.facts.clear()
            let monitor =
                state.monitor
                ?? CallMonitor(roles: [role], configuration: context.monitorConfiguration, inputs: inputs)
            state.monitor = monitor
            return monitor
        }
        monitor?.setSource(peer)
        monitor?.start(telling: listener)
    }

    /// Takes the server's facts in.
    func take(_ facts: WireLegFacts) {
        let now = clock.now()
        state.withLock { state in
            guard facts.leg == state.leg else { return }
            state.facts.take(facts, at: now)
        }
    }

    /// The server's facts, if they are fresh enough to act on.
    var freshFacts: WireLegFacts? {
        let now = clock.now()
        return state.withLock { $0.facts.isFresh(at: now) ? $0.facts.facts : nil }
    }

    func remoteFacts(senderStatsTrack: Bool) -> RemoteFacts {
        let now = clock.now()
        return state.withLock { $0.facts.remoteFacts(at: now, senderStatsTrack: senderStatsTrack) }
    }

    /// Tells the server what was measured.
    func report(_ sample: TelemetrySample) {
        guard context.configuration.sendsTelemetry, let leg else { return }
        context.telemetry.add(sample, leg: leg)
    }

    func reportJSON() async throws -> String {
        guard let peer = state.withLock({ $0.peer }) else {
            throw SightlineError(.notConnected, "there is no peer connection yet")
        }
        do {
            return String(decoding: try await peer.statistics().json(), as: UTF8.self)
        } catch {
            throw SightlineError(.mediaEngine, "no statistics could be read: \(error)")
        }
    }

    func setConditions(_ conditions: NetworkConditions) throws {
        guard let conditioner else {
            throw SightlineError(
                .invalidArgument, "to change the network in the call, say networkConditions in the settings")
        }
        conditioner.set(conditions)
    }

    /// Stops observing, and lets go of everything; returns when nothing runs any more.
    func end() async {
        let monitor = state.withLock { state in
            state.isOver = true
            defer {
                state.monitor = nil
                state.link = nil
                state.peer = nil
            }
            return state.monitor
        }
        monitor?.stop()
        await monitor?.finished()
    }
}
