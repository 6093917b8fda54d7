// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import NIOCore
import NIOHTTP1
import SessionCore
import SessionWire
import WebRTCStats

/// A page's socket, on which its rtcstats client says what its peer connections do.
actor RTCStatsSocket: SocketUser {
    /// Longest that it is waited for a participant's rate before its socket is closed.
    private static let paceTimeout: Duration = .seconds(10)
    /// What an entry of a report counts for, bytes.
    private static let entryBytes = 200

    private enum State {
        case new(token: String?)
        /// `expiry` ends it when its token ends.
        case open(APIGrant, ObserverPass, ClientOutlet, expiry: Task<Void, Never>)
        case over
    }

    private let sockets: ObserverSockets
    private var state: State
    private var reader: RTCStatsReader
    private var limiter: RateLimiter
    /// Messages in a row that were none.
    private var unreadable = 0

    init(_ sockets: ObserverSockets, _ head: HTTPRequestHead) {
        self.sockets = sockets
        state = .new(token: RTCStatsAddress.token(head))
        reader = RTCStatsReader(
            client: head.headers.first(name: "User-Agent"),
            prefix: Self.prefix(sockets), limits: sockets.limits)
        limiter = RateLimiter(perSecond: sockets.limits.messagesPerSecond)
    }

    /// No other socket's, at whatever node of a cluster it is; short, whatever that is called.
    private static func prefix(_ sockets: ObserverSockets) -> String {
        let number = sockets.hub.nextSocket().rawValue
        guard let node = sockets.intake.proxy?.node else { return "rtcstats-\(number)" }
        let place = String(UInt64(bitPattern: EventMark.hash(node)), radix: 36)
        return "rtcstats-\(place)-\(number)"
    }

    func take(_ work: [SocketWork]) async {
        for item in work {
            switch item {
            case .opened(let outlet): await open(outlet)
            case .event(let event): await take(event)
            case .closed: await end()
            }
        }
    }

    private func open(_ outlet: ClientOutlet) async {
        guard case .new(let token?) = state, let grant = await sockets.gate.grant(token),
            let observer = grant.observer, grant.scopes.contains(.observe)
        else { return close(outlet, .notJoined) }
        guard sockets.enter(observer) else { return close(outlet, .tooMany) }
        let left = Duration.seconds(max(0, grant.expires?.timeIntervalSinceNow ?? 0))
        let expiry = Task { [weak self] in
            guard (try? await Task.sleep(for: left)) != nil else { return }
            await self?.expire()
        }
        let pass = ObserverPass(
            grant: observer, issued: grant.issuedAt, token: token, awaitsStorage: false)
        state = .open(grant, pass, outlet, expiry: expiry)
        outlet.letIn()
    }

    /// The token has ended.
    private func expire() async {
        if case .open(_, _, let outlet, _) = state { await end(outlet, .notJoined) }
    }

    private func take(_ event: SocketEvent) async {
        guard case .open(let grant, let pass, let outlet, _) = state else { return }
        guard !sockets.gate.revoked.contain(grant) else { return await end(outlet, .notJoined) }
        if let reason = await take(event, of: pass) { return await end(outlet, reason) }
        let delay = limiter.delay(bytes: event.bytes, at: ContinuousClock.now)
        if let delay { try? await Task.sleep(for: delay) }
    }

    /// - Returns: Why the socket is to be closed, if it is.
    private func take(_ event: SocketEvent, of pass: ObserverPass) async -> CloseReason? {
        guard case .text(let buffer) = event, buffer.readableBytes <= sockets.limits.observedBodyBytes else {
            return event == .unreadable ? noteUnreadable() : .tooMany
        }
        if let reason = await charge(buffer.readableBytes, pass.grant) { return reason }
        guard let reports = reader.read(buffer.readableBytesView) else { return noteUnreadable() }
        unreadable = 0
        guard !reports.reports.isEmpty || !reports.events.isEmpty else { return nil }
        // A short message may stand for a long report.
        let entries = reports.reports.reduce(0) { $0 + $1.content.entryCount }
        if let reason = await charge(entries * Self.entryBytes, pass.grant) { return reason }
        // It may have ended, and said so, while this waited.
        guard case .open = state else { return nil }
        return await take(reports, of: pass)
    }

    private func noteUnreadable() -> CloseReason? {
        unreadable += 1
        return unreadable >= sockets.limits.unreadableMessages ? .garbage : nil
    }

    /// Waits until it is the turn of that number of bytes: a participant's page cannot be asked to wait.
    private func charge(_ bytes: Int, _ observer: ObserverGrant) async -> CloseReason? {
        guard let delay = await sockets.hub.turn(observer, bytes: bytes, within: Self.paceTimeout) else {
            return .tooMany
        }
        if delay > .zero { try? await Task.sleep(for: delay) }
        return nil
    }

    private func take(_ reports: ObservedReports, of pass: ObserverPass) async -> CloseReason? {
        do throws(ServerError) {
            // What is too much, or comes while no one can say where the call is, is omitted: the next report is whole as
            // well.
            _ = try await sockets.intake.take(reports, from: pass)
            return nil
        } catch {
            return [.duplicateId, .forbidden].contains(error.code) ? .forced : nil
        }
    }

    private func close(_ outlet: ClientOutlet, _ reason: CloseReason) {
        state = .over
        outlet.close(reason)
    }

    private func end(_ outlet: ClientOutlet, _ reason: CloseReason) async {
        await end()
        outlet.close(reason)
    }

    private func end() async {
        guard case .open(_, let pass, _, let expiry) = state else { return }
        state = .over
        expiry.cancel()
        sockets.leave(pass.grant)
        let farewell = reader.end()
        guard !farewell.reports.isEmpty else { return }
        _ = try? await sockets.intake.take(farewell, from: pass)
    }
}

extension ObservedReport.Content {
    /// Entries of the report that it is.
    fileprivate var entryCount: Int { if case .report(let report) = self { report.entryCount } else { 0 } }
}
