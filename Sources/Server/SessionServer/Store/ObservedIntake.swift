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
