// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird
import NIOCore
import SessionCore
import SessionWire

/// The media routers, and the ending of one that is in use, as for an upgrade.
struct RouterRoutes: Sendable {
    /// `GET /v1/routers`.
    struct List: Codable, Sendable, Equatable {
        var routers: [RouterState]
    }

    /// `POST /v1/routers/{router}/drain`.
    struct Drain: Codable, Sendable, Equatable {
        /// Seconds after which it ends with what it still has; ten minutes if `nil`.
        var within: Double?
    }

    let hub: ServerHub
    let gate: APIGate
    let bodyBytes: Int

    private static let usualTime = 600.0
    private static let longestTime = 86_400.0

    /// Adds its paths.
    func add(to router: Router<BasicRequestContext>) {
        router.add(.routers) { call in
            _ = try await gate.enter(call)
            return try Response.json(List(routers: await hub.routerStates))
        }
        router.add(.drainRouter) { call in
            _ = try await gate.enter(call)
            let body = try await call.request.read(upTo: bodyBytes, whenEmpty: Drain())
            return try await drain(call.name(.router), body)
        }
    }

    private func drain(_ name: String, _ request: Drain) async throws -> Response {
        let seconds = request.within ?? Self.usualTime
        guard (0...Self.longestTime).contains(seconds) else {
            throw APIError(
                .badRequest, ServerError(.malformed, "\"within\" must be 0 to \(Int(Self.longestTime)) s"))
        }
        do throws(ServerError) {
            try await hub.drain(RouterID(rawValue: Int(name) ?? -1), within: .seconds(seconds))
        } catch {
            throw APIError(error.code == .tooMany ? .conflict : .notFound, error)
        }
        return try .json(List(routers: await hub.routerStates), status: .accepted)
    }
}
