// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import Hummingbird
import SessionProtocol

/// Lets requests in that may be: with a token in the `Authorization` field or the cookie, or the application's own
/// credentials.
///
/// Never with a token in the address, which ends up in logs and histories.
struct APIGate: Sendable {
    static let cookie = "sightline"

    let tokens: APITokens
    let credentials: BasicCredentials

    /// What a request may do.
    ///
    /// - Throws: ``APIError`` 401 without a token that is good, 403 if it does not have the scope.
    func enter(_ request: Request, _ scope: APIScope) async throws -> APIGrant {
        guard let grant = await grant(request) else {
            throw APIError(
                .unauthorized,
                ServerError(.forbidden, "send an API token: Authorization: Bearer …"), challenge: "Bearer")
        }
        guard grant.scopes.contains(scope) else {
            throw APIError(
                .forbidden, ServerError(.forbidden, "the token lacks the scope \"\(scope.rawValue)\""))
        }
        return grant
    }

    private func grant(_ request: Request) async -> APIGrant? {
        if let field = request.headers[.authorization] {
            if let given = BasicCredentials(authorization: field) {
                return given.matches(credentials) ? APIGrant(scopes: Set(APIScope.allCases)) : nil
            }
            guard field.lowercased().hasPrefix("bearer ") else { return nil }
            return await tokens.grant(String(field.dropFirst("bearer ".count)))
        }
        guard let token = request.cookies[Self.cookie]?.value else { return nil }
        return await tokens.grant(token)
    }
}
