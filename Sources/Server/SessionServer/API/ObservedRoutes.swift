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
        router.add(.addCallReports, take)
    }

    private func take(_ call: APICall) async throws -> Response {
        let pass = try await enter(call)
        let body = try await read(call.request)
        do throws(ServerError) {
            let receipt = try await intake.take(json: body, from: pass)
            return try json(receipt, status: pass.awaitsStorage ? .ok : .accepted)
        } catch {
            throw Self.form(error)
        }
    }

    /// Who adds to a call.
    private func enter(_ call: APICall) async throws -> ObserverPass {
        let request = call.request
        let name = try call.name(.call)
        let grant = try await gate.enter(call)
        guard let observer = try grant.observer(of: name) else {
            throw APIError(
                .forbidden, ServerError(.forbidden, "reports need a token made for their participant"))
        }
        let isPassedOn = request.headers[.sightlineNode] != nil
        let isAsync = request.headers[.prefer] == ObservedCallProxy.preferenceNotToWait
        return ObserverPass(
            grant: observer, issued: grant.issuedAt, token: request.bearerToken ?? "",
            isPassedOn: isPassedOn, awaitsStorage: !(isPassedOn && isAsync))
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
