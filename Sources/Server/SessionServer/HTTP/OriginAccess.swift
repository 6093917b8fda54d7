// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird

/// Informs browsers that pages of listed origins may use the API (CORS), and answers what they ask before.
///
/// By a token of theirs, and never by the dashboard's cookie: no answer allows credentials.
struct OriginAccess<Context: RequestContext>: RouterMiddleware {
    let policy: SitePolicy

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard Self.isOpen(request.uri.path), let origin = request.headers[.origin], policy.isListed(origin)
        else { return try await next(request, context) }
        var response =
            request.method == .options
            ? Response(status: .noContent, headers: Self.preflight) : try await next(request, context)
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] =
            "ETag, Retry-After, Sightline-Next, Sightline-Incomplete"
        response.headers[.vary] = "Origin"
        return response
    }

    /// Not what is of the cookie, which the server's own pages have; observed calls have rules of their own.
    private static func isOpen(_ path: String) -> Bool {
        path.hasPrefix("/v1/") && !["/v1/login", "/v1/logout"].contains(path) && !ObservedPath.contains(path)
    }

    private static var preflight: HTTPFields {
        [
            .accessControlAllowMethods: "GET, POST, PUT, DELETE",
            .accessControlAllowHeaders: "authorization, content-type, if-none-match",
            // As long as any browser remembers, seconds.
            .accessControlMaxAge: "86400",
        ]
    }
}
