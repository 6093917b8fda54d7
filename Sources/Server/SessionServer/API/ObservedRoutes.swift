// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird
import NIOCore
import SessionCore
import SessionWire

/// The reports of observed calls: `POST /v1/calls/{call}/reports`.
struct ObservedRoutes: Sendable {
    let hub: ServerHub
    let gate: APIGate
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
        let observer = try await enter(request, call)
        let body = try await read(request)
        do throws(ServerError) {
            // Before it is read: who sends too much is not to cost more than that.
            try await hub.charge(observer, bytes: body.count)
            let reports = try ObservedReports(json: body)
            let receipt = try await hub.take(reports, from: observer)
            if let error = receipt.error, receipt.accepted == 0, receipt.restart.isEmpty { throw error }
            return try json(receipt)
        } catch {
            throw Self.form(error)
        }
    }

    /// Who adds to a call; never a cookie's holder, whom any page could have send something.
    private func enter(_ request: Request, _ call: String) async throws -> ObserverGrant {
        guard request.headers[.authorization] != nil else {
            throw APIError(
                .unauthorized,
                ServerError(.forbidden, "send the participant's token: Authorization: Bearer …"),
                challenge: "Bearer")
        }
        let grant = try await gate.enter(request, .observe, session: call)
        guard let observer = grant.observer else {
            throw APIError(
                .forbidden, ServerError(.forbidden, "reports need a token made for their participant"))
        }
        guard observer.call == call else {
            throw APIError(.forbidden, ServerError(.forbidden, "the token is for another call"))
        }
        return observer
    }

    private func read(_ request: Request) async throws -> [UInt8] {
        guard request.headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
            throw APIError(
                .unsupportedMediaType,
                ServerError(.malformed, "send the body as it is, without Content-Encoding"))
        }
        let limit = limits.observedBodyBytes
        let tooLong = APIError(
            .contentTooLarge, ServerError(.tooLarge, "reports may have \(limit) bytes at most"))
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLong }
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw tooLong
        }
    }

    private func json(_ receipt: ObservedReceipt) throws(ServerError) -> Response {
        do { return try .json(receipt) } catch {
            throw ServerError(.internal, "the answer could not be written")
        }
    }

    private static func form(_ error: ServerError) -> APIError {
        switch error.code {
        case .malformed: APIError(.badRequest, error)
        case .tooMany: APIError(.tooManyRequests, error, retryAfter: retryInterval)
        case .duplicateId: APIError(.conflict, error)
        case .unknownSession: APIError(.serviceUnavailable, error, retryAfter: retryInterval)
        default: APIError(.internalServerError, error)
        }
    }
}
