// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird

/// What the server does at one of its paths by one method, declared once.
///
/// The route, who is let in, what is read of an address, and what `openapi.json` says of all that follow from it.
struct APIOperation: Sendable {
    /// Who may ask for it.
    enum Access: Sendable, Equatable {
        case everyone
        /// The application, by its id and secret.
        case application
        /// Whoever brings a token, of whatever scopes, or its cookie; and the application.
        case anyToken
        /// Whoever brings a token of this scope, or its cookie; and the application.
        case scope(APIScope)
        /// The participant for whom a token was made that it brings; no cookie's holder, whom any page could have send
        /// something.
        case participant
        /// The same, and the application.
        case participantOrApplication
    }

    /// What it is called in programs that are made of the description.
    let id: String
    let method: HTTPRequest.Method
    /// Its path, with names of parameters in braces.
    let path: String
    let access: Access
    /// What stands in its address, those of the path first.
    let parameters: [APIParameter]

    /// - Parameter parameters: Those of the path may be omitted if they are plain names.
    init(
        _ id: String, _ method: HTTPRequest.Method, _ path: String, _ access: Access,
        _ parameters: [APIParameter] = []
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.access = access
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            APIParameter.Name(rawValue: String($0.dropFirst().dropLast()))
        }
        let ofPath = names.map { name in
            parameters.first { $0.place == .path && $0.name == name } ?? .path(name)
        }
        self.parameters = ofPath + parameters.filter { $0.place == .query }
    }

    /// One that may follow the path; `nil` if there is none of that name.
    func query(_ name: APIParameter.Name) -> APIParameter? {
        parameters.first { $0.place == .query && $0.name == name }
    }
}

extension Router where Context == BasicRequestContext {
    /// Adds an operation's path.
    func add(
        _ operation: APIOperation, _ answer: @escaping @Sendable (APICall) async throws -> Response
    ) {
        on(RouterPath(operation.path), method: operation.method) { request, context -> Response in
            try await answer(APICall(operation: operation, request: request, context: context))
        }
    }
}
