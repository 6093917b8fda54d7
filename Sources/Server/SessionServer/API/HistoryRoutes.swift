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
        router.add(.sessions, sessions)
        router.add(.session, summary)
        router.add(.minutes, minutes)
        router.add(.timeline, timeline)
        router.add(.samples, samples)
        router.add(.supportCase, supportCase)
        router.add(.findings, findings)
        router.add(.report, report)
        router.add(.alerts, alerts)
        router.add(.live, live)
        router.add(.deleteParticipant, deleteParticipant)
        router.add(.metrics, metricsText)
        router.add(.description) { call in
            // Of no session: who has a token for a few of them reads it, too.
            _ = try await gate.admit(call)
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
        _ call: APICall,
        _ answer: @escaping @Sendable (APIGrant, QueryReader) async throws -> Response
    ) async throws -> Response {
        let grant = try await gate.enter(call)
        let reader = QueryReader(call.request, of: call.operation, names: names, grant)
        return try await turns.take {
            do { return try await answer(grant, reader) } catch is ForeignCursor {
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
    private func sessions(_ call: APICall) async throws -> Response {
        try await read(call) { _, reader in
            var query = SessionQuery()
            query.from = try reader.time(.from)
            query.to = try reader.time(.to)
            query.participant = try reader.participant()
            query.condition = try reader.value(.condition)
            query.isLive = try reader.flag(.live)
            query.limit = try reader.limit() ?? query.limit
            query.cursor = try reader.cursor()
            let page = try await store().sessions(query)
            return try .tagged(
                SessionList(sessions: page.items, next: page.next?.rawValue), call.request)
        }
    }

    private func summary(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        return try await read(call) { grant, _ in
            let summary = try await store().summary(
                session: session, showsNames: grant.scopes.contains(.names))
            guard let summary else { throw Self.noSession }
            return try .tagged(summary, call.request)
        }
    }

    private func minutes(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        return try await read(call) { _, reader in
            guard let page = try await store().minutes(reader.window(session)) else { throw Self.noSession }
            return try .tagged(Minutes(minutes: page.items, next: page.next?.rawValue), call.request)
        }
    }

    private func timeline(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        return try await read(call) { _, reader in
            guard let page = try await store().timeline(reader.window(session)) else { throw Self.noSession }
            return try .tagged(Timeline(events: page.items, next: page.next?.rawValue), call.request)
        }
    }

    private func samples(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        return try await read(call) { _, reader in
            let query = try reader.window(session)
            let wantsCSV = try reader.wantsCSV()
            guard let page = try await store().samples(query) else { throw Self.noSession }
            guard wantsCSV else {
                return try .tagged(Samples(samples: page.items, next: page.next?.rawValue), call.request)
            }
            return .page(of: SampleCSV.header + SampleCSV.lines(page.items), next: page.next?.rawValue)
        }
    }

    private func supportCase(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        return try await read(call) { grant, reader in
            let found = try await SupportCase.make(
                reader.window(session), from: store(), showsNames: grant.scopes.contains(.names))
            guard let found else { throw Self.noSession }
            return try .tagged(found, call.request)
        }
    }

    private func report(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        return try await read(call) { grant, reader in
            .page(try await report(reader.window(session), grant).html)
        }
    }

    private func findings(_ call: APICall) async throws -> Response {
        let session = try call.name(.session)
        return try await read(call) { grant, reader in
            try .tagged(try await report(reader.window(session), grant).callFindings, call.request)
        }
    }

    private func report(_ query: WindowQuery, _ grant: APIGrant) async throws -> SessionReport {
        let report = try await SessionReport.make(
            query, from: store(), showsNames: grant.scopes.contains(.names),
            showsReports: grant.scopes.contains(.reports))
        guard let report else { throw Self.noSession }
        return report
    }

    private func alerts(_ call: APICall) async throws -> Response {
        try await read(call) { _, reader in
            var query = AlertQuery()
            query.session = try reader.text(.session)
            query.participant = try reader.participant()
            query.from = try reader.time(.from)
            query.to = try reader.time(.to)
            query.isOver = try reader.flag(.over)
            query.limit = try reader.limit() ?? query.limit
            query.cursor = try reader.cursor()
            let page = try await store().alerts(query)
            return try .tagged(AlertList(alerts: page.items, next: page.next?.rawValue), call.request)
        }
    }

    private func live(_ call: APICall) async throws -> Response {
        let grant = try await gate.enter(call)
        _ = try store()
        let session = try QueryReader(call.request, of: call.operation, names: names, grant).text(.session)
        let isNode = call.request.headers[.sightlineNode] != nil
        guard let messages = feed.listen(session: session, for: grant, isNode: isNode) else {
            throw APIError(
                .serviceUnavailable, ServerError(.tooMany, "\(LiveFeed.limit) clients watch already"))
        }
        // Revoked meanwhile, when no one listened yet who could be notified.
        if gate.revoked.contain(grant) { for id in grant.ids { feed.end(token: id) } }
        return .events(messages)
    }
}

// MARK: - The rest

extension HistoryRoutes {
    private func deleteParticipant(_ call: APICall) async throws -> Response {
        let name = try call.name(.participant)
        _ = try await gate.enter(call)
        guard let participant = names.participant(given: name) else {
            throw APIError(.badRequest, ServerError(.malformed, "name a participant"))
        }
        let count = try await store().deleteParticipant(participant)
        return try .json(ParticipantDeleted(participant: participant, connections: count))
    }

    private func metricsText(_ call: APICall) async throws -> Response {
        _ = try await gate.enter(call)
        let text = PrometheusText(await metrics.metrics)
        return .text(text.text, "text/plain; version=0.0.4; charset=utf-8")
    }
}
