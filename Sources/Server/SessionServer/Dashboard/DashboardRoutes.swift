// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SessionWire

/// The pages for people: the dashboard at `/`, the browser participant at `/join`.
///
/// They are open to everyone and hold nothing of any call: that comes from the API, which wants a token. Whoever has them
/// already gets no more than that they are still the same.
struct DashboardRoutes: Sendable {
    let files: WebFiles
    /// `nil` unless the server is one of several that clients are sent to.
    var directory: ClusterDirectory?

    /// Adds its paths.
    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in try response(files.file("dashboard/index.html"), request) }
        router.get("join") { request, _ in try response(files.file("join/join.html"), request) }
        router.get("web/:folder/:file") { request, context in
            let (folder, file) = (context.parameters.get("folder"), context.parameters.get("file"))
            var response = try response(files.file("\(folder ?? "")/\(file ?? "")"), request)
            // They hold no one's data: pages of other origins use them.
            if ["client", "observe"].contains(folder) { response.headers[.accessControlAllowOrigin] = "*" }
            return response
        }
        router.get("vendor/chart.js/chart.mjs") { request, _ in
            try response(WebFiles.chart("chart.mjs"), request)
        }
        router.get("vendor/chart.js/chunks/helpers.segment.mjs") { request, _ in
            try response(WebFiles.chart("chunks/helpers.segment.mjs"), request)
        }
    }

    /// Only our own scripts and styles, no frame around the page, and no text that becomes a script; sockets to the
    /// other servers of the cluster, one of which has the session.
    private var policy: String {
        let nodes = directory?.addresses.compactMap(SitePolicy.origin) ?? []
        let sockets = nodes.map { " " + $0.replacing("http", with: "ws", maxReplacements: 1) }.joined()
        return [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
            "connect-src 'self'\(sockets)",
            "media-src 'self' blob:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ].joined(separator: "; ")
    }

    private func response(_ file: WebFiles.File?, _ request: Request) throws -> Response {
        guard let file else {
            throw APIError(
                .notFound, ServerError(.init(rawValue: "notFound"), "there is nothing at this path"))
        }
        let headers: HTTPFields = [
            .contentType: file.type, .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff",
        ]
        // The names stay while what they stand for changes with the program.
        let packed = request.headers.takesGzip ? file.packed : nil
        var answer = Response.tagged(packed ?? file.bytes, file.tag, headers, request)
        if packed != nil, answer.status == .ok { answer.headers[.contentEncoding] = "gzip" }
        return answer
    }
}
