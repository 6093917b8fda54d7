// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird
import SessionCore
import SessionWire

/// The reports of observed calls: `POST /v1/calls/{call}/reports`.
///
/// For a WebSocket there, see ``ReportSocket``.
struct ObservedRoutes: Sendable {
    let gate: APIGate
    let intake: ObservedIntake
    let limits: SessionServerLimits

    /// Seconds after which who was refused for doing too much may try again.
    private static let retryInterval = 5

    /// Adds its paths.
    func add(to router: Router<BasicRequestContext>) {
        router.post("v1/calls/:call/reports") { request, context in
            try await take(request, call: context.name("call"))
        }
    }

    private func take(_ request: Request, call: String) async throws -> Response {
        let pass = try await enter(request, call)
        let body = try await read(request)
        do throws(ServerError) {
            let receipt = try await intake.take(json: body, from: pass)
            return try json(receipt, status: pass.awaitsStorage ? .ok : .accepted)
        } catch {
            throw Self.form(error)
        }
    }

    /// Who adds to a call; never a cookie's holder, whom any page could have send something.
    private func enter(_ request: Request, _ call: String) async throws -> ObserverPass {
        try Self.requireToken(request)
        let grant = try await gate.enter(request, .observe, session: call)
        guard let observer = try grant.observer(of: call) else {
            throw APIError(
                .forbidden, ServerError(.forbidden, "reports need a token made for their participant"))
        }
        let isPassedOn = request.headers[.sightlineNode] != nil
        let isAsync = request.headers[.prefer] == ObservedCallProxy.preferenceNotToWait
        return ObserverPass(
            grant: observer, issued: grant.issuedAt, token: request.bearerToken ?? "",
            isPassedOn: isPassedOn, awaitsStorage: !(isPassedOn && isAsync))
    }

    /// Refuses who shows nothing but a cookie.
    static func requireToken(_ request: Request) throws(APIError) {
        guard request.headers[.authorization] != nil else {
            throw APIError(
                .unauthorized,
                ServerError(.forbidden, "send the participant's token: Authorization: Bearer …"),
                challenge: "Bearer")
        }
    }

    private func read(_ request: Request) async throws -> [UInt8] {
        guard request.headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
            throw APIError(
                .unsupportedMediaType,
                ServerError(.malformed, "send the body as it is, without Content-Encoding"))
        }
        return Array(try await request.bytes(upTo: limits.observedBodyBytes).readableBytesView)
    }

    private func json(
        _ receipt: ObservedReceipt, status: HTTPResponse.Status
    ) throws(ServerError) -> Response {
        do { return try .json(receipt, status: status) } catch {
            throw ServerError(.internal, "the answer could not be written")
        }
    }

    static func form(_ error: ServerError) -> APIError {
        switch error.code {
        case .malformed: APIError(.badRequest, error)
        case .tooMany: APIError(.tooManyRequests, error, retryAfter: retryInterval)
        case .duplicateId: APIError(.conflict, error)
        case .forbidden: APIError(.forbidden, error)
        case .unknownSession, .elsewhere: APIError(.serviceUnavailable, error, retryAfter: retryInterval)
        default: APIError(.internalServerError, error)
        }
    }
}

extension APIGrant {
    /// Whom it lets add to a call; `nil` if it is not made for a participant.
    ///
    /// - Throws: ``APIError`` 403 if it is for another call.
    func observer(of call: String) throws(APIError) -> ObserverGrant? {
        guard scopes.contains(.observe), let observer else { return nil }
        guard observer.call == call else {
            throw APIError(.forbidden, ServerError(.forbidden, "the token is for another call"))
        }
        return observer
    }
}
