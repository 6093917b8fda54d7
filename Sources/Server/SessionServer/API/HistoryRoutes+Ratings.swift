// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import HTTPTypes
import Hummingbird
import SessionCore
import SessionWire

/// Participants' ratings of their calls.
extension HistoryRoutes {
    /// Adds its paths.
    func addRatings(to router: Router<BasicRequestContext>) {
        router.add(.rateCall, rate)
        router.add(.ratings, ratings)
    }

    /// A participant rates its own call; the application rates for anyone.
    private func rate(_ call: APICall) async throws -> Response {
        let name = try call.name(.call)
        let grant = try await gate.enter(call)
        let observer = try grant.observer(of: name)
        guard observer != nil || grant.expires == nil else {
            let message = "rate with a token made for the participant, or as the application"
            throw APIError(.forbidden, ServerError(.forbidden, message))
        }
        let body: GiveRating = try await call.request.read(upTo: bodyBytes)
        let rating = try Self.rating(body)
        let store = try store()
        if let observer {
            guard body.participant == nil || body.participant == observer.participant else {
                throw APIError(
                    .forbidden, ServerError(.forbidden, "the token is for another participant"))
            }
            if try await rate(rating, observer, grant.issuedAt) { return Self.kept }
        }
        guard let participant = observer.map(\.participant) ?? body.participant, !participant.isEmpty else {
            throw APIError(.badRequest, ServerError(.malformed, "name a participant"))
        }
        let isKnown = try await store.rate(
            session: name,
            participant: standIn(participant, isGiven: observer == nil), rating,
            at: Date().unixTime.rounded())
        guard isKnown else {
            throw APIError(
                .notFound,
                ServerError(.unknownSession, "nothing is known of this participant in a call of this name"))
        }
        return Self.kept
    }

    /// What stands for a participant: a token has the name itself, whatever that looks like.
    private func standIn(_ participant: String, isGiven: Bool) -> String {
        (isGiven ? names.participant(given: participant) : names.participant(participant)) ?? participant
    }

    private func rate(
        _ rating: CallRating, _ observer: ObserverGrant, _ issued: Double
    ) async throws(APIError) -> Bool {
        do throws(ServerError) { return try await hub.rate(rating, by: observer, issued: issued) } catch {
            throw ObservedRoutes.form(error)
        }
    }

    private static func rating(_ body: GiveRating) throws(APIError) -> CallRating {
        do throws(CallRating.Refusal) { return try body.rating() } catch {
            throw APIError(.badRequest, ServerError(.malformed, error.description))
        }
    }

    private static let kept = Response(status: .noContent, headers: [.cacheControl: "no-store"])

    private func ratings(_ call: APICall) async throws -> Response {
        try await read(call) { grant, reader in
            var query = RatingQuery()
            query.session = try reader.text(.session)
            query.from = try reader.time(.from)
            query.to = try reader.time(.to)
            query.limit = try reader.limit() ?? query.limit
            query.cursor = try reader.cursor()
            query.showsNames = grant.scopes.contains(.names)
            let wantsCSV = try reader.wantsCSV()
            let page = try await store().ratings(query)
            guard !wantsCSV else {
                return .page(of: RatingCSV.text(page.items), next: page.next?.rawValue)
            }
            let agreement = try await store().agreement(query)
            return try .tagged(
                RatingList(ratings: page.items, agreement: agreement, next: page.next?.rawValue),
                call.request)
        }
    }
}

/// Ratings as comma-separated values; the figures that no one knows are empty fields.
enum RatingCSV {
    static func text(_ ratings: [RatedCall]) -> String {
        (["time,session,connection,participant,score,judged,reason"] + ratings.map(line))
            .joined(separator: "\r\n") + "\r\n"
    }

    private static func line(_ rating: RatedCall) -> String {
        [
            "\(Int64(rating.time))", SampleCSV.text(rating.session), rating.connection,
            rating.participant ?? "", "\(rating.score)", rating.judged.map { "\($0)" } ?? "",
            SampleCSV.text(rating.reason ?? ""),
        ].joined(separator: ",")
    }
}
