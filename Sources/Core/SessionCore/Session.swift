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

    /// Whether it ends once no one has been in it for long.
    var endsUnused: Bool {
        switch self {
        case .hosted(let session): !session.isKept
        case .observed: false
        }
    }
}

// MARK: - Changes

// What is changed is taken out of the payload for that long, so that nothing is copied.

extension Session {
    /// Takes note of an input and says what is to be done.
    mutating func handle(_ input: SessionInput, in surroundings: Surroundings) -> [SessionEffect] {
        switch consume self {
        case .hosted(var session):
            let effects = session.handle(input, in: surroundings)
            self = .hosted(session)
            return effects
        case .observed(var call):
            let effects = call.handle(input, in: surroundings)
            self = .observed(call)
            return effects
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
