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

    /// Takes what a participant has sent, as JSON.
    ///
    /// - Parameter issued: When the participant's token was made, Unix ms.
    /// - Throws: ``ServerError`` if nothing of it was taken.
    func take(
        json bytes: [UInt8], from observer: ObserverGrant, issued: Double
    ) async throws(ServerError) -> ObservedReceipt {
        // Before it is read: who sends too much is not to cost more than that.
        try await hub.charge(observer, bytes: bytes.count)
        let receipt = try await take(try ObservedReports(json: bytes), from: observer, issued: issued)
        if let error = receipt.error, receipt.accepted == 0, receipt.restart.isEmpty { throw error }
        return receipt
    }

    /// Takes reports, and begins the call with its first ones.
    ///
    /// - Parameter issued: When the participant's token was made, Unix ms.
    /// - Throws: ``ServerError``: with the code `duplicateId` if a session of the server's own has, or had, the call's name.
    func take(
        _ reports: ObservedReports, from observer: ObserverGrant, issued: Double
    ) async throws(ServerError) -> ObservedReceipt {
        if await !hub.observes(observer.call), await isHosted(observer.call) {
            throw ServerError(
                .duplicateId,
                "the store has a session of the server's own of this name; name the call otherwise")
        }
        return try await hub.take(reports, from: observer, issued: issued)
    }

    /// A store that cannot be read keeps no one out.
    private func isHosted(_ call: String) async -> Bool {
        if case .hosted? = await kinds?.kind(ofSession: call) { true } else { false }
    }
}
