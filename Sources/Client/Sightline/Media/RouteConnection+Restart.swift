// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

extension RouteConnection {
    /// How long a restarted connection may take to find a path before the next restart.
    private static let restartLimit: Duration = .seconds(5)

    /// Looks for another path for the same peer connection, again and again until there is one.
    ///
    /// If that does not help, or the other end is gone, another peer connection takes its place.
    func restart() {
        guard restarting == nil, recovery == nil, registration == .registered, !isClosed, let current else {
            return
        }
        restarting = Task { await self.runRestart(current) }
    }

    private func runRestart(_ name: LegName) async {
        var plan = restartPlan
        var obstacle: String?
        while obstacle == nil, let wait = plan.next() {
            do {
                try await context.clock.sleep(for: wait)
                try await signaling.reachable()
                guard isStillBroken(name) || plan.attempts == 1 else { break }
                try await restartOnce(name)
                break
            } catch let error as ServerError where Self.isFinal(error, after: plan.attempts) {
                obstacle = error.message
            } catch {
                if isClosed || current != name { break }
                if plan.isExhausted { obstacle = Self.noPath }
            }
        }
        restarting = nil
        if let obstacle, current == name { return recover(obstacle) }
        // It may have been lost again while this was still about to end.
        if obstacle == nil, isStillBroken(name) { restart() }
    }

    /// Whether the other end is gone or takes no restarts, rather than out of reach for a while.
    private static func isFinal(_ error: ServerError, after attempts: Int) -> Bool {
        switch error.code {
        case .unknownLeg, .routerUnavailable, .unsupportedMedia, .forbidden, .malformed: true
        // What the server cannot do twice it will not do nine times; another connection may be all it needs.
        case .internal: attempts > 1
        default: false
        }
    }

    private func isStillBroken(_ name: LegName) -> Bool {
        current == name && legs[name].map { $0.state != .connected } == true
    }

    private func restartOnce(_ name: LegName) async throws {
        guard var leg = legs[name] else { throw SightlineError(.cancelled, "the call ended meanwhile") }
        // The server must not be notified of new candidates before it has the offer that they belong to.
        leg.negotiation.restart()
        legs[name] = leg
        let offer = try await leg.peer.createOffer(iceRestart: true)
        try await leg.peer.setLocalDescription(offer)
        let reply = try await signaling.request(.offer(.init(leg: name, offer: offer.sdp)))
        try await accept(reply.answer, name)
        // Until now the old path may have failed, while the server could not be reached.
        if legs[name]?.state == .failed { legs[name]?.state = .connecting }
        try await connected(name, within: Self.restartLimit)
    }

    /// The server was started over, and knows none of the connection's legs.
    ///
    /// - Parameter mayReopen: Whether what the stream needs is there already.
    func serverForgot(_ message: String, mayReopen: Bool) {
        guard !isClosed, current != nil else { return }
        if registration == .registered {
            acknowledged = nil
            emit(.lost(message))
        }
        registration = mayReopen ? .reopening : .forgotten
        if mayReopen { recover(message) }
    }
}
