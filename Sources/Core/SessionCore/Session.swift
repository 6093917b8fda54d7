// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// A session of either kind, as the lobby keeps it.
enum Session: Sendable {
    /// Its clients have sockets, and the server connects their media.
    case hosted(LiveSession)
    /// An app's own call, of which the server only gets reports.
    case observed(ObservedCall)

    /// `nil` if it is an observed call.
    var live: LiveSession? { if case .hosted(let session) = self { session } else { nil } }
    /// `nil` if the server connects it.
    var observedCall: ObservedCall? { if case .observed(let call) = self { call } else { nil } }

    var number: SessionNumber {
        switch self {
        case .hosted(let session): session.number
        case .observed(let call): call.number
        }
    }

    var census: Census {
        switch self {
        case .hosted(let session): session.census
        case .observed(let call): call.census
        }
    }

    /// What the lobby has to know once a session has dealt with an input.
    ///
    /// It is looked up while the session is out of its payload: looking into a payload copies all of it.
    struct Outcome: Sendable {
        let effects: [SessionEffect]
        let before: Census
        let after: Census
        /// Whether its router has, or is to get, anything of it.
        let isAtRouter: Bool
        /// Whether it ends once no one has been in it for long.
        let endsUnused: Bool
        /// Whether it is to end now.
        let isOver: Bool
    }
}

// MARK: - Changes

// What is changed is taken out of the payload for that long, so that nothing is copied.

extension Session {
    /// Takes note of an input and says what is to be done.
    mutating func handle(_ input: SessionInput, in surroundings: Surroundings) -> Outcome {
        switch consume self {
        case .hosted(var session):
            let before = session.census
            let effects = session.handle(input, in: surroundings)
            let outcome = Outcome(
                effects: effects, before: before, after: session.census, isAtRouter: session.hasWorkAtRouter,
                endsUnused: !session.isKept, isOver: false)
            self = .hosted(session)
            return outcome
        case .observed(var call):
            let before = call.census
            let effects = call.handle(input, in: surroundings)
            let outcome = Outcome(
                effects: effects, before: before, after: call.census, isAtRouter: false, endsUnused: false,
                isOver: call.isOver)
            self = .observed(call)
            return outcome
        }
    }

    /// Whether a token lets another client in; ``LiveSession/admit(_:at:)``.
    mutating func admit(_ grant: TokenGrant, at now: Duration) throws(ServerError) -> ClientID? {
        switch consume self {
        case .hosted(var session):
            let result = Result { () throws(ServerError) in try session.admit(grant, at: now) }
            self = .hosted(session)
            return try result.get()
        case .observed(let call):
            self = .observed(call)
            throw ServerError(.forbidden, "this is a call of an app's own: no one joins it here")
        }
    }

    /// Has an observed call changed; `nil` if the server connects it.
    mutating func changeObserved<Value>(_ change: (inout ObservedCall) -> Value) -> Value? {
        switch consume self {
        case .hosted(let session):
            self = .hosted(session)
            return nil
        case .observed(var call):
            let value = change(&call)
            self = .observed(call)
            return value
        }
    }
}
