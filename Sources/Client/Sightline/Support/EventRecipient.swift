// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Who is handed events one after the other: from anywhere, or on one actor, which is held weakly.
///
/// May go anywhere itself: what it calls is `@Sendable`, or is called on the actor that it came from and nowhere else.
struct EventRecipient<Event: Sendable>: @unchecked Sendable {
    private weak var actor: (any Actor)?
    private let isOnActor: Bool
    private let body: (Event) -> Void

    /// One that is called from a task of the SDK, with whose the events are, for as long as that lives.
    static func anywhere<Owner: AnyObject & Sendable>(
        of owner: Owner, _ body: @escaping @Sendable (Event, Owner) -> Void
    ) -> EventRecipient {
        EventRecipient(actor: nil, isOnActor: false, body: Self.weakly(owner, body))
    }

    /// A delegate that names no actor: on the main actor on Apple's systems, as delegates are called there, elsewhere from a
    /// task of the SDK.
    static func delegate<Owner: AnyObject & Sendable>(
        of owner: Owner, _ body: @escaping @Sendable (Event, Owner) -> Void
    ) -> EventRecipient {
        #if canImport(Darwin)
        onMain(of: owner, body)
        #else
        anywhere(of: owner, body)
        #endif
    }

    /// One that is called on the main actor, with whose the events are, for as long as that lives.
    static func onMain<Owner: AnyObject & Sendable>(
        of owner: Owner, _ body: @escaping @Sendable (Event, Owner) -> Void
    ) -> EventRecipient {
        EventRecipient(actor: MainActor.shared, isOnActor: true, body: Self.weakly(owner, body))
    }

    /// One that is called on an actor, with whose the events are, for as long as both live.
    static func on<Owner: AnyObject & Sendable>(
        _ actor: isolated any Actor, of owner: Owner, _ body: @escaping (Event, Owner) -> Void
    ) -> EventRecipient {
        EventRecipient(actor: actor, isOnActor: true, body: Self.weakly(owner, body))
    }

    private static func weakly<Owner: AnyObject & Sendable>(
        _ owner: Owner, _ body: @escaping (Event, Owner) -> Void
    ) -> (Event) -> Void {
        { [weak owner] event in
            if let owner { body(event, owner) }
        }
    }

    /// Hands it an event; returns when it has handled that.
    ///
    /// - Parameter isCurrent: Whether it is still the one to be handed events, asked on its actor.
    /// - Returns: Whether that was so.
    func take(_ event: Event, ifStill isCurrent: @Sendable () -> Bool) async -> Bool {
        guard isOnActor else {
            body(event)
            return true
        }
        guard let actor else { return true }
        return await call(with: event, on: actor, isCurrent)
    }

    private func call(with event: Event, on _: isolated any Actor, _ isCurrent: @Sendable () -> Bool) -> Bool
    {
        guard isCurrent() else { return false }
        body(event)
        return true
    }
}
