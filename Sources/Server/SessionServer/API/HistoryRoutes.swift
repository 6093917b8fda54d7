// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import HTTPTypes
import HistoryWriter
import Hummingbird
import SessionWire
import WebRTCStats

/// The part of the HTTP interface that serves history and state.
struct HistoryRoutes: Sendable {
    let gate: APIGate
    let hub: ServerHub
    /// `nil` without a store.
    let service: StoreService?
    let feed: LiveFeed
    let metrics: MetricCollector
    let names: ParticipantNames
    /// Longest body of a request, bytes.
    let bodyBytes: Int
    let turns: HistoryTurns

    /// Adds its paths.
    func add(to router: Router<BasicRequestContext>) {
        router.get("v1/sessions") { request, _ in try await sessions(request) }
        router.get("v1/sessions/:session") { request, context in
            try await summary(request, context.name("session"))
        }
        router.get("v1/sessions/:session/minutes") { request, context in
            try await minutes(request, context.name("session"))
        }
        router.get("v1/sessions/:session/timeline") { request, context in
            try await timeline(request, context.name("session"))
        }
        router.get("v1/sessions/:session/samples") { request, context in
            try await samples(request, context.name("session"))
        }
        router.get("v1/sessions/:session/support-case") { request, context in
            try await supportCase(request, context.name("session"))
        }
        router.get("v1/sessions/:session/findings") { request, context in
            try await findings(request, context.name("session"))
        }
        router.get("v1/sessions/:session/report") { request, context in
            try await report(request, context.name("session"))
        }
        router.get("v1/alerts") { request, _ in try await alerts(request) }
        router.get("v1/live") { request, _ in try await live(request) }
        router.delete("v1/participants/:participant") { request, context in
            try await deleteParticipant(request, context.name("participant"))
        }
        router.get("metrics") { request, _ in try await metricsText(request) }
        router.get("v1/openapi.json") { request, _ in
            guard try await gate.enter(request).scopes.contains(.read) else {
                throw APIError(
                    .forbidden, ServerError(.forbidden, "the token lacks the scope \"read\""))
            }
            return Response.text(OpenAPIDocument.json, "application/json")
        }
        addReports(to: router)
        addFleet(to: router)
        addRatings(to: router)
        addAccess(to: router)
    }

    /// The store.
    ///
    /// - Throws: ``APIError`` 404 if the server has none.
    func store() throws -> any HistoryStore {
        guard let store = service?.store else {
            throw APIError(
                .notFound, ServerError(.init(rawValue: "notFound"), "this server stores nothing"))
        }
        return store
    }

    /// Answers a request by what the store has, when it has its turn: who may not read waits for none.
    func read(
        _ request: Request, _ scope: APIScope = .read, session: String?,
        _ answer: @escaping @Sendable (APIGrant) async throws -> Response
    ) async throws -> Response {
        let grant = try await gate.enter(request, scope, session: session)
        return try await turns.take {
            do { return try await answer(grant) } catch is ForeignCursor {
                throw QueryReader.noCursor
            } catch  where service?.store.failure(error) == .passing {
                throw Self.storeIsAway
            }
        }
    }

    private static let storeIsAway = APIError(
        .serviceUnavailable,
        ServerError(
            .internal,
            "the store cannot be read just now; calls continue, and it is tried again with each request"),
        retryAfter: 5)

    static let noSession = APIError(
        .notFound, ServerError(.unknownSession, "nothing is known of a session of this name"))
}

// MARK: - Reading

extension HistoryRoutes {
    private func sessions(_ request: Request) async throws -> Response {
        try await read(request, session: nil) { grant in
            let reader = QueryReader(request, names: names, grant)
            var query = SessionQuery()
            query.from = try reader.time("from")
            query.to = try reader.time("to")
            query.participant = try reader.participant()
            query.condition = try reader.value("condition", of: NetworkCondition.determined)
            query.isLive = try reader.flag("live")
            query.limit = try reader.limit(50, upTo: 200)
            query.cursor = try reader.cursor()
            let page = try await store().sessions(query)
            return try .tagged(SessionList(sessions: page.items, next: page.next?.rawValue), request)
        }
    }

    private func summary(_ request: Request, _ session: String) async throws -> Response {
        try await read(request, session: session) { grant in
            let summary = try await store().summary(
                session: session, showsNames: grant.scopes.contains(.names))
            guard let summary else { throw Self.noSession }
            return try .tagged(summary, request)
        }
    }

    private func minutes(_ request: Request, _ session: String) async throws -> Response {
        try await read(request, session: session) { grant in
            let query = try QueryReader(request, names: names, grant).window(
                session: session, limit: 10_000, upTo: 10_000)
            guard let page = try await store().minutes(query) else { throw Self.noSession }
            return try .tagged(Minutes(minutes: page.items, next: page.next?.rawValue), request)
        }
    }

    private func timeline(_ request: Request, _ session: String) async throws -> Response {
        try await read(request, session: session) { grant in
            let query = try QueryReader(request, names: names, grant).window(
                session: session, limit: 200, upTo: 2000)
            guard let page = try await store().timeline(query) else { throw Self.noSession }
            return try .tagged(Timeline(events: page.items, next: page.next?.rawValue), request)
        }
    }

    private func samples(_ request: Request, _ session: String) async throws -> Response {
        try await read(request, session: session) { grant in
            let reader = QueryReader(request, names: names, grant)
            let query = try reader.window(session: session, limit: 1000, upTo: 10_000)
            let wantsCSV = try reader.wantsCSV(request)
            guard let page = try await store().samples(query) else { throw Self.noSession }
            guard wantsCSV else {
                return try .tagged(Samples(samples: page.items, next: page.next?.rawValue), request)
            }
            return .page(of: SampleCSV.header + SampleCSV.lines(page.items), next: page.next?.rawValue)
        }
    }

    private func supportCase(_ request: Request, _ session: String) async throws -> Response {
        try await read(request, session: session) { grant in
            let query = try QueryReader(request, names: names, grant).window(
                session: session, limit: 1, upTo: 1)
            let found = try await SupportCase.make(
                query, from: store(), showsNames: grant.scopes.contains(.names))
            guard let found else { throw Self.noSession }
            return try .tagged(found, request)
        }
    }

    private func report(_ request: Request, _ session: String) async throws -> Response {
        try await read(request, session: session) { grant in
            .page(try await report(request, session, grant).html)
        }
    }

    private func findings(_ request: Request, _ session: String) async throws -> Response {
        try await read(request, session: session) { grant in
            try .tagged(try await report(request, session, grant).callFindings, request)
        }
    }

    private func report(
        _ request: Request, _ session: String, _ grant: APIGrant
    ) async throws -> SessionReport {
        let query = try QueryReader(request, names: names, grant).window(
            session: session, limit: 1, upTo: 1)
        let report = try await SessionReport.make(
            query, from: store(), showsNames: grant.scopes.contains(.names),
            showsReports: grant.scopes.contains(.reports))
        guard let report else { throw Self.noSession }
        return report
    }

    private func alerts(_ request: Request) async throws -> Response {
        try await read(request, session: Self.sessionParameter(request)) { grant in
            let reader = QueryReader(request, names: names, grant)
            var query = AlertQuery()
            query.session = try reader.text("session")
            query.participant = try reader.participant()
            query.from = try reader.time("from")
            query.to = try reader.time("to")
            query.isOver = try reader.flag("over")
            query.limit = try reader.limit(50, upTo: 200)
            query.cursor = try reader.cursor()
            let page = try await store().alerts(query)
            return try .tagged(AlertList(alerts: page.items, next: page.next?.rawValue), request)
        }
    }

    private func live(_ request: Request) async throws -> Response {
        let grant = try await gate.enter(request, .read, session: Self.sessionParameter(request))
        _ = try store()
        let session = try QueryReader(request, names: names, grant).text("session")
        let isNode = request.headers[.sightlineNode] != nil
        guard let messages = feed.listen(session: session, for: grant, isNode: isNode) else {
            throw APIError(
                .serviceUnavailable, ServerError(.tooMany, "\(LiveFeed.limit) clients watch already"))
        }
        // Revoked meanwhile, when no one listened yet who could be notified.
        if gate.revoked.contain(grant) { for id in grant.ids { feed.end(token: id) } }
        return .events(messages)
    }

    /// The session that a request narrows itself to.
    static func sessionParameter(_ request: Request) -> String? {
        request.uri.queryParameters["session"].map(String.init)
    }
}

// MARK: - The rest

extension HistoryRoutes {
    private func deleteParticipant(_ request: Request, _ name: String) async throws -> Response {
        _ = try await gate.enter(request, .delete)
        guard let participant = names.participant(given: name) else {
            throw APIError(.badRequest, ServerError(.malformed, "name a participant"))
        }
        let count = try await store().deleteParticipant(participant)
        return try .json(ParticipantDeleted(participant: participant, connections: count))
    }

    private func metricsText(_ request: Request) async throws -> Response {
        _ = try await gate.enter(request, .metrics)
        let text = PrometheusText(await metrics.metrics)
        return .text(text.text, "text/plain; version=0.0.4; charset=utf-8")
    }
}
