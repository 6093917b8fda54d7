// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import HTTPTypes
import Hummingbird

/// Counts requests and how long they took, by route: paths as they come would be endlessly.
struct RequestMeter<Context: RequestContext>: RouterMiddleware {
    let metrics: ServerMetrics

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
        let kind = ServerMetrics.RequestKind(
            method: method, path: context.endpointPath ?? "none", status: response.status.code)
        metrics.count(kind, seconds: (ContinuousClock.now - start).seconds)
        return response
    }

    private static var methods: [HTTPRequest.Method] { [.get, .post, .delete, .put, .head, .options] }
}
