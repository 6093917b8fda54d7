// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import SessionCore
import SessionWire

/// Takes what participants of observed calls say, whichever way it comes.
struct ObservedIntake: Sendable {
    let hub: ServerHub
    /// `nil` without a store.
    let kinds: SessionKinds?
    /// `nil` without a cluster.
    let proxy: ObservedCallProxy?

    /// Takes what a participant has sent, as JSON; returns when that is stored, if the participant awaits it.
    ///
    /// - Throws: ``ServerError`` if nothing of it was taken, or it is not stored.
    func take(json bytes: [UInt8], from pass: ObserverPass) async throws(ServerError) -> ObservedReceipt {
        // Before it is read: who sends too much is not to cost more than that.
        try await hub.charge(pass.grant, bytes: bytes.count)
        let reports = try ObservedReports(json: bytes)
        if let receipt = try await passOn(reports, { bytes }, from: pass) { return receipt }
        let receipt = try await takeHere(reports, from: pass)
        if let error = receipt.error, receipt.accepted == 0, receipt.restart.isEmpty { throw error }
        return receipt
    }

    /// Takes reports, and begins the call with its first ones; returns when they are stored, if the participant awaits it.
    ///
    /// - Throws: ``ServerError``: with the code `duplicateId` if a session of the server's own has, or had, the call's name.
    func take(_ reports: ObservedReports, from pass: ObserverPass) async throws(ServerError)
        -> ObservedReceipt
    {
        let body = { () throws(ServerError) in try reports.body() }
        if let receipt = try await passOn(reports, body, from: pass) { return receipt }
        return try await takeHere(reports, from: pass)
    }

    /// What another node says that has the call; `nil` if it is to be taken here.
    private func passOn(
        _ reports: ObservedReports, _ body: () throws(ServerError) -> [UInt8], from pass: ObserverPass
    ) async throws(ServerError) -> ObservedReceipt? {
        // What says nothing is no reason to look for a call.
        let isEmpty = reports.reports.isEmpty && reports.events.isEmpty
        guard let proxy, !isEmpty, await !hub.observes(pass.grant.call) else { return nil }
        return try await proxy.take(body, from: pass)
    }

    private func takeHere(
        _ reports: ObservedReports, from pass: ObserverPass
    ) async throws(ServerError) -> ObservedReceipt {
        let observer = pass.grant
        if await !hub.observes(observer.call), await isHosted(observer.call) {
            throw ServerError(
                .duplicateId,
                "the store has a session of the server's own of this name; name the call otherwise")
        }
        let (receipt, outcome) = try await hub.take(reports, from: observer, issued: pass.issued)
        guard pass.awaitsStorage, let outcome else { return receipt }
        switch (try? await outcome.value) ?? .late {
        case .stored: return receipt
        case .dropped: throw .unstorable
        case .late: throw .unstored
        }
    }

    /// A store that cannot be read keeps no one out.
    private func isHosted(_ call: String) async -> Bool {
        if case .hosted? = await kinds?.kind(ofSession: call) { true } else { false }
    }
}

extension ServerError {
    /// What was said is taken, and not stored yet; ``SessionCore/ReportOutcome/late``.
    fileprivate static let unstored = ServerError(
        .unknownSession, "the reports are not stored yet; send them again, they count once")
}

extension ObservedReports {
    fileprivate func body() throws(ServerError) -> [UInt8] {
        do { return try json() } catch { throw ServerError(.internal, "the reports could not be passed on") }
    }
}
