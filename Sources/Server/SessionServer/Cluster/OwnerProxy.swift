// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SessionCore
import SessionWire

extension HTTPField.Name {
    /// Which node has passed a request on: it is passed on once.
    static var sightlineNode: Self { .init("Sightline-Node") ?? .via }
    /// How a request is to be answered (RFC 7240).
    static var prefer: Self { .init("Prefer") ?? .via }
    /// Which node has the last minute of what was asked for, and did not answer.
    static var sightlineIncomplete: Self { .init("Sightline-Incomplete") ?? .via }
    /// The cursor of the next page.
    static var sightlineNext: Self { .init("Sightline-Next") ?? .via }
}

/// Passes requests that change a session, or ask what only its node knows, on to the node that has it.
///
/// What is asked of the history any node reads; only of a session that continues, or did lately, its node has what is in no
/// minute yet. If that one does not answer, the rest is given, and says so.
struct OwnerProxy<Context: RequestContext>: RouterMiddleware {
    /// What of a request's head goes with it: in what form is asked.
    private static var fields: [HTTPField.Name] {
        [.contentType, .accept, .ifNoneMatch] + [.init("X-Forwarded-Proto")].compactMap(\.self)
    }
    /// Of the answer's.
    private static var answered: [HTTPField.Name] {
        [
            .contentType, .retryAfter, .eTag, .cacheControl, .contentSecurityPolicy, .xContentTypeOptions,
            .sightlineNext, .wwwAuthenticate, .allow,
        ]
    }
    /// Longest answer, bytes: a page of samples is the longest.
    private static var answerLimit: Int { 1 << 26 }

    let directory: ClusterDirectory
    let gate: APIGate
    /// Longest body of a request, bytes.
    let bodyBytes: Int

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // Who may not have it done is refused here, before anything is asked or noted of a session.
        guard await isAllowed(request) else { return try await next(request, context) }
        guard request.headers[.sightlineNode] == nil else {
            // Whoever passed it on may know more lately: what was taken over is found here too.
            if let session = Self.session(of: request), await directory.find(session) == .unknown,
                !Self.isBeginning(request)
            {
                throw Self.unknownPlace
            }
            return try await next(request, context)
        }
        if let session = Self.sessionRead(by: request), let node = await directory.holder(of: session) {
            return try await read(request, context, at: node, next)
        }
        var request = request
        guard let place = try await place(of: &request), case .at(let node) = place else {
            return try await next(request, context)
        }
        let body = try await request.collectBody(upTo: bodyBytes)
        if let answer = await pass(request, body, to: node) { return answer }
        // A new one can begin anywhere.
        if Self.isCreation(request) { return try await next(request, context) }
        let message = "the session is at node \(node.name), which does not answer; try again"
        throw APIError(.serviceUnavailable, ServerError(.elsewhere, message, url: node.url), retryAfter: 5)
    }

    private func read(
        _ request: Request, _ context: Context, at node: NodeTable.Node,
        _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let answer = await pass(request, ByteBuffer(), to: node) { return answer }
        var answer = try await next(request, context)
        answer.headers[.sightlineIncomplete] = node.name
        return answer
    }

    private func place(of request: inout Request) async throws -> ClusterDirectory.Place? {
        if Self.isCreation(request) {
            guard let place = await directory.choosePlace(for: try await routerUse(of: &request)) else {
                throw APIError(
                    .serviceUnavailable, ServerError(.tooMany, "no node takes new sessions; try again"),
                    retryAfter: 5)
            }
            return place
        }
        guard let session = Self.session(of: request) else { return nil }
        let place =
            Self.isBeginning(request)
            ? await directory.begin(session, for: try await routerUse(of: &request))
            : await directory.find(session)
        guard place != .unknown else { throw Self.unknownPlace }
        return place
    }

    /// Whether the media of a session that is asked for goes through a router; what cannot be read is refused by who makes it.
    private func routerUse(of request: inout Request) async throws -> RouterUse {
        let body = Data(try await request.collectBody(upTo: bodyBytes).readableBytesView)
        let wanted = try? JSONDecoder().decode(CreateSession.self, from: body)
        return RouterUse((wanted ?? CreateSession()).mediaMode)
    }

    private static var unknownPlace: APIError {
        APIError(.serviceUnavailable, .unknownPlace, retryAfter: 5)
    }

    /// Whether who asks may have something done with sessions at all; the node that does it looks closer.
    private func isAllowed(_ request: Request) async -> Bool {
        let parts = Self.parts(of: request)
        guard parts.starts(with: ["v1", "sessions"]) else { return false }
        guard parts.count > 3 || parts.count == 3 && request.method == .get else {
            return (try? gate.enterApplication(request)) != nil
        }
        // A token that observes stands in a page.
        guard let grant = try? await gate.enter(request), grant.observer == nil else { return false }
        return grant.reaches(parts[2].removingPercentEncoding)
    }

    private func pass(_ request: Request, _ body: ByteBuffer, to node: NodeTable.Node) async -> Response? {
        guard let url = Self.url(of: request, at: node.internalURL) else { return nil }
        var passed = OutgoingRequest(url, method: request.method.rawValue)
        if body.readableBytes > 0 { passed.body = Data(body.readableBytesView) }
        for field in Self.fields { passed.headers[field.rawName] = request.headers[field] }
        passed.headers[HTTPField.Name.authorization.rawName] = credentials(of: request)
        passed.headers[HTTPField.Name.sightlineNode.rawName] = directory.node
        guard let answer = await passed.answer(upTo: Self.answerLimit + 1),
            answer.body.count <= Self.answerLimit
        else { return nil }
        var headers: HTTPFields = [.cacheControl: "no-store"]
        for field in Self.answered {
            if let value = answer.field(field.rawName) { headers[field] = value }
        }
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    /// Who asks; of someone with a cookie the token in it, since what the cookie is called depends on how it was sent.
    private func credentials(of request: Request) -> String? {
        request.headers[.authorization] ?? request.cookies[gate.cookie(request)].map { "Bearer \($0.value)" }
    }

    // MARK: - Paths

    /// Where a node has what is asked for: of an address that names a server only what follows counts.
    static func url(of request: Request, at address: String) -> URL? {
        let node = address.hasSuffix("/") ? String(address.dropLast()) : address
        let path = parts(of: request).joined(separator: "/")
        return URL(string: "\(node)/\(path)" + (request.uri.query.map { "?\($0)" } ?? ""))
    }

    private static func parts(of request: Request) -> [Substring] {
        request.uri.path.split(separator: "/")
    }

    /// Whether the application begins a session of a name that it has chosen.
    private static func isBeginning(_ request: Request) -> Bool {
        request.method == .put && parts(of: request).count == 3
    }

    private static func isCreation(_ request: Request) -> Bool {
        request.method == .post && parts(of: request).elementsEqual(["v1", "sessions"])
    }

    /// The session that a request is about which its node has to answer; `nil` if any node may.
    private static func session(of request: Request) -> String? {
        let parts = parts(of: request)
        guard parts.count >= 3, parts.starts(with: ["v1", "sessions"]) else { return nil }
        return isForNode(request, parts) ? parts[2].removingPercentEncoding : nil
    }

    /// The session of which a request reads the history; `nil` if it does not.
    private static func sessionRead(by request: Request) -> String? {
        let parts = parts(of: request)
        guard request.method == .get, parts.count >= 3, parts.starts(with: ["v1", "sessions"]) else {
            return nil
        }
        return isForNode(request, parts) ? nil : parts[2].removingPercentEncoding
    }

    private static func isForNode(_ request: Request, _ parts: [Substring]) -> Bool {
        // How networks are, only the node itself knows.
        let asksNode = parts.count > 3 && ["networks", "connections"].contains(parts[3])
        return ![.get, .head].contains(request.method) || asksNode
    }
}

extension ServerError {
    /// Trying again helps: in the end the database says it, or the node is gone.
    static let unknownPlace = ServerError(
        .elsewhere, "which server of the cluster has the session is not known at the moment; try again")
}
