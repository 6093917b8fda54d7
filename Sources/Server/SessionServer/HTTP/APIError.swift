// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import Hummingbird
import Logging
import SessionWire

/// A refusal of the HTTP interface: `{"error":{"code":…,"message":…}}`.
struct APIError: Error, HTTPResponseError {
    /// What is answered.
    struct Body: Codable, Sendable {
        var error: ServerError
    }

    let status: HTTPResponse.Status
    let error: ServerError
    /// How to get in, said with `unauthorized`.
    let challenge: String
    /// Seconds after which to try again; `nil` if that is of no use.
    let retryAfter: Int?
    /// The methods that the path takes, said with `methodNotAllowed`.
    let allowed: [HTTPRequest.Method]

    /// A body that is longer than it may be.
    static func tooLong(_ bytes: Int) -> APIError {
        APIError(.contentTooLarge, ServerError(.tooLarge, "a body may have \(bytes) bytes at most"))
    }

    init(
        _ status: HTTPResponse.Status, _ error: ServerError, challenge: String = "Basic",
        retryAfter: Int? = nil, allowed: [HTTPRequest.Method] = []
    ) {
        self.status = status
        self.error = error
        self.challenge = challenge
        self.retryAfter = retryAfter
        self.allowed = allowed
    }

    func response(from request: Request, context _: some RequestContext) throws -> Response {
        var response = try Response.json(Body(error: error), status: status)
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "\(challenge) realm=\"sightline\"" }
        if !allowed.isEmpty { response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ") }
        if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
        // A body after the head that was asked for would be taken for the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }
}

extension Response {
    /// An answer with a JSON body.
    static func json(_ body: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let data = try JSONEncoder.sorted.encode(body)
        return Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }
}

extension JSONEncoder {
    /// With members in the order of their names: the same answer has the same bytes, whichever process gives it.
    static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}

/// Converts the framework's errors to the form of our own.
struct ErrorForm<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as APIError {
            return try error.response(from: request, context: context)
        } catch let error as HTTPError {
            return try Self.form(error).response(from: request, context: context)
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(type(of: error))"])
            let error = ServerError(.internal, "the server failed to answer")
            return try APIError(.internalServerError, error).response(from: request, context: context)
        }
    }

    private static func form(_ error: HTTPError) -> APIError {
        switch error.status {
        case .notFound:
            APIError(.notFound, ServerError(.init(rawValue: "notFound"), "there is nothing at this path"))
        case .contentTooLarge: APIError(.contentTooLarge, ServerError(.tooLarge, "the body is too long"))
        default: APIError(error.status, ServerError(.malformed, "the request could not be carried out"))
        }
    }
}
