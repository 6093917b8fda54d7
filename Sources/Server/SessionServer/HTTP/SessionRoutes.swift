// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SessionCore
import SessionWire

/// The HTTP interface.
struct SessionRoutes: Sendable {
    let hub: ServerHub
    /// `nil` without a store.
    let kinds: SessionKinds?
    let issuer: TokenIssuer
    let gate: APIGate
    let policy: SitePolicy
    let connections: ConnectionGate
    let limits: SessionServerLimits
    /// `nil` unless the server is one of several that clients are sent to.
    let directory: ClusterDirectory?

    /// Its paths.
    func router(_ metrics: ServerMetrics) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: RequestMeter(metrics: metrics))
        router.add(middleware: PackedAnswers())
        router.add(middleware: StrictTransport(policy: policy))
        router.add(middleware: ObservedAccess(policy: policy))
        router.add(middleware: OriginAccess(policy: policy))
        router.add(middleware: ErrorForm())
        router.add(middleware: SiteMiddleware(policy: policy, bodyBytes: limits.bodyBytes))
        if let directory {
            router.add(
                middleware: OwnerProxy(directory: directory, gate: gate, bodyBytes: limits.bodyBytes))
        }
        router.add(.liveness) { _ in
            // Whoever answers this is alive, and so is the hub.
            _ = await hub.health
            return .text("alive\n", "text/plain; charset=utf-8")
        }
        router.add(.readiness) { _ in
            let health = await hub.health
            return try Response.json(health, status: health.isReady ? .ok : .serviceUnavailable)
        }
        router.add(.createSession, createSession)
        router.add(.putSession, findSession)
        router.add(.endSession, endSession)
        router.add(.createToken, createToken)
        // Reached by requests that are none for a socket, and by those that were refused one.
        for socket in [APIOperation.sessionSocket, .rtcstatsSocket] {
            router.add(socket) { call in throw noSocket(call.request) }
        }
        return router
    }

    /// Why a request for a socket got none.
    private func noSocket(_ request: Request) -> APIError {
        if policy.verdict(onSocket: .init(request)) == .foreign {
            return APIError(
                .forbidden,
                ServerError(.forbidden, "pages of this origin may not connect; see --allow-origin"))
        }
        if connections.isFullOfSockets {
            return APIError(
                .serviceUnavailable, ServerError(.tooMany, "there are too many sockets; try again later"))
        }
        return APIError(.upgradeRequired, ServerError(.malformed, "this is the path of a WebSocket"))
    }

    private func createSession(_ call: APICall) async throws -> Response {
        _ = try await gate.enter(call)
        let body = try await call.request.read(upTo: limits.bodyBytes, whenEmpty: CreateSession())
        do {
            let session = try await hub.createSession(mediaMode: body.mediaMode)
            return try .json(session, status: .created)
        } catch let error as ServerError {
            throw Self.refusal(error)
        }
    }

    /// Makes a session of a name of the application's, unless there is one: asked twice, the answer is the same.
    private func findSession(_ call: APICall) async throws -> Response {
        let name = try call.name(.session)
        _ = try await gate.enter(call)
        let body = try await call.request.read(upTo: limits.bodyBytes, whenEmpty: CreateSession())
        if await hub.presence(ofSession: name) == .absent, await isObserved(name) {
            let message = "the store has an observed call of this name; name the session otherwise"
            throw APIError(.conflict, ServerError(.duplicateId, message))
        }
        do {
            let (session, isNew) = try await hub.session(named: name, mediaMode: body.mediaMode)
            return try .json(session, status: isNew ? .created : .ok)
        } catch let error as ServerError {
            throw Self.refusal(error)
        }
    }

    /// Whether the store has an observed call of a name.
    private func isObserved(_ name: String) async -> Bool {
        if case .observed? = await kinds?.kind(ofSession: name) { true } else { false }
    }

    /// Puts everyone out of a session, and ends it; what is stored of it stays.
    ///
    /// An observed call of which nothing comes at the moment ends as well: no token of before begins it again.
    private func endSession(_ call: APICall) async throws -> Response {
        let name = try call.name(.session)
        _ = try await gate.enter(call)
        let kind = await kinds?.kind(ofSession: name)
        let isObserved = kind == .observed
        let wasLive = await hub.endSession(name, wasHosted: kind != nil && !isObserved)
        guard wasLive || isObserved else {
            throw APIError(
                .notFound, ServerError(.unknownSession, "there is no such session; it may have ended"))
        }
        return Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }

    private static func refusal(_ error: ServerError) -> APIError {
        switch error.code {
        case .tooMany: APIError(.serviceUnavailable, error, retryAfter: returnInterval)
        case .malformed: APIError(.badRequest, error)
        case .duplicateId: APIError(.conflict, error)
        default: APIError(.internalServerError, error)
        }
    }

    private func createToken(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        let grant = try await gate.enter(call)
        let body: CreateToken = try await call.request.read(upTo: limits.bodyBytes)
        guard grant.roles?.contains(body.role) ?? true else {
            throw APIError(
                .forbidden,
                ServerError(.forbidden, "the token makes no tokens of the role \"\(body.role.rawValue)\""))
        }
        let mediaMode = try await mediaMode(of: session)
        let lifetime = try Self.lifetime(body.expiresIn, grant)
        do {
            let token = try await issuer.token(
                session: session, mediaMode: mediaMode, role: body.role, name: body.name,
                lifetime: lifetime, connections: body.connections)
            return try .json(token, status: .created)
        } catch let error as ServerError {
            throw APIError(error.code == .internal ? .internalServerError : .badRequest, error)
        }
    }

    /// How media flows in a session.
    ///
    /// - Throws: ``APIError`` 404 if there is no such session, 503 if it may yet return.
    private func mediaMode(of session: String) async throws(APIError) -> MediaMode {
        switch await hub.presence(ofSession: session) {
        case .present(let mediaMode): return mediaMode
        case .mayReturn:
            let message =
                "there is no such session; the server was started a while ago, and it may yet return"
            throw APIError(
                .serviceUnavailable, ServerError(.unknownSession, message), retryAfter: Self.returnInterval)
        case .absent:
            throw APIError(
                .notFound, ServerError(.unknownSession, "there is no such session; it may have ended"))
        }
    }

    /// Seconds in which a session's clients, who try again and again, are likely to be back.
    private static let returnInterval = 5

    /// Lifetime of a token that is issued with another: no longer than that one.
    private static func lifetime(_ seconds: Double?, _ grant: APIGrant) throws(APIError) -> Duration? {
        let left = grant.expires.map { max(1, $0.timeIntervalSinceNow) }
        guard let seconds else {
            return left.map { min(.seconds($0), TokenIssuer.defaultLifetime) }
        }
        guard (1...(TokenIssuer.maximumLifetime.seconds)).contains(seconds) else {
            throw APIError(
                .badRequest, ServerError(.malformed, "\"expiresIn\" must be 1 second to 30 days"))
        }
        if let left, seconds > left {
            let message = "the token ends in \(Int(left)) s, and with it what is made with it"
            throw APIError(.forbidden, ServerError(.forbidden, message))
        }
        return .seconds(seconds)
    }
}
