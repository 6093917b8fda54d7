// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import Hummingbird
import SessionCore

/// The paths of observed calls: open to pages of other origins that are listed, and to longer bodies.
enum ObservedPath {
    private static let prefix = "/v1/calls/"

    static func contains(_ uri: some StringProtocol) -> Bool { uri.hasPrefix(prefix) }

    static func contains(_ request: Request) -> Bool { contains(request.uri.path) }

    /// The call to which a path adds reports; `nil` if it is none.
    static func reports(_ path: Substring) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, contains(path), parts[4] == "reports" else { return nil }
        return parts[3].removingPercentEncoding.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension SessionServerLimits {
    /// Longest body of a request for a path.
    func bodyBytes(ofPath path: some StringProtocol) -> Int {
        ObservedPath.contains(path) ? observedBodyBytes : bodyBytes
    }
}

/// Tells browsers that pages of listed origins may bring reports (CORS), and answers what they ask before.
struct ObservedAccess<Context: RequestContext>: RouterMiddleware {
    /// How long browsers need not ask again, seconds: as long as any of them remembers.
    private static var preflightAge: String { "86400" }

    let policy: SitePolicy

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard ObservedPath.contains(request), let origin = request.headers[.origin],
            policy.verdict(onSocket: .init(request)) == .allowed
        else { return try await next(request, context) }
        var response =
            request.method == .options
            ? Response(status: .noContent, headers: Self.preflight) : try await next(request, context)
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = "Retry-After"
        response.headers[.vary] = "Origin"
        return response
    }

    private static var preflight: HTTPFields {
        [
            .accessControlAllowMethods: "POST", .accessControlAllowHeaders: "authorization, content-type",
            .accessControlMaxAge: preflightAge,
        ]
    }
}
