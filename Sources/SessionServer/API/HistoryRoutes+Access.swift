// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import Hummingbird
import SessionProtocol

// MARK: - Tokens and cookies

extension HistoryRoutes {
    func addAccess(to router: Router<BasicRequestContext>) {
        router.post("v1/api-tokens") { request, _ in try await createToken(request) }
        router.post("v1/login") { request, _ in try await logIn(request) }
        router.post("v1/logout") { _, _ in logOut() }
    }

    /// Only the application itself makes tokens.
    private func createToken(_ request: Request) async throws -> Response {
        guard let given = BasicCredentials(authorization: request.headers[.authorization]),
            given.matches(gate.credentials)
        else {
            let message = "send the application's id and secret as HTTP Basic credentials"
            throw APIError(.unauthorized, ServerError(.forbidden, message))
        }
        let body: CreateAPIToken = try await read(request)
        let days = TokenIssuer.maximumLifetime / .seconds(1)
        guard body.expiresIn.map({ (1...days).contains($0) }) ?? true else {
            throw APIError(
                .badRequest, ServerError(.malformed, "\"expiresIn\" must be 1 second to 30 days"))
        }
        do throws(ServerError) {
            let token = try await gate.tokens.token(
                Set(body.scopes), lifetime: body.expiresIn.map { .seconds($0) })
            return try json(token, .created)
        } catch {
            throw APIError(error.code == .internal ? .internalServerError : .badRequest, error)
        }
    }

    private func json(_ body: some Encodable, _ status: HTTPResponse.Status) throws(ServerError) -> Response {
        do { return try .json(body, status: status) } catch {
            throw ServerError(.internal, "the answer could not be written")
        }
    }

    /// Exchanges a token for a cookie that scripts cannot read and other sites cannot use.
    private func logIn(_ request: Request) async throws -> Response {
        let body: Login = try await read(request)
        guard let grant = await gate.tokens.grant(body.token), let expires = grant.expires else {
            throw APIError(
                .unauthorized, ServerError(.invalidToken, "the token is not in order, or has expired"),
                challenge: "Bearer")
        }
        let scopes = grant.scopes.sorted { $0.rawValue < $1.rawValue }
        var response = try Response.json(LoggedIn(scopes: scopes))
        response.setCookie(
            Cookie(
                name: APIGate.cookie, value: body.token, expires: expires, path: "/", secure: isSecure,
                httpOnly: true, sameSite: .strict))
        return response
    }

    private func logOut() -> Response {
        var response = Response(status: .noContent, headers: [.cacheControl: "no-store"])
        response.setCookie(
            Cookie(
                name: APIGate.cookie, value: "", maxAge: 0, path: "/", secure: isSecure, httpOnly: true,
                sameSite: .strict))
        return response
    }
}
