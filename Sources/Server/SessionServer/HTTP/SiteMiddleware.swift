// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird
import NIOCore
import SessionWire

extension SitePolicy.Visitor {
    init(_ request: Request) {
        self.init(
            host: request.head.authority, origin: request.headers[.origin],
            site: request.headers[SiteMiddleware<BasicRequestContext>.fetchSite])
    }
}

extension SitePolicy {
    /// Whether a request travels encrypted.
    func isSecure(_ request: Request) -> Bool {
        isSecure(forwardedProtocol: request.headers[SiteMiddleware<BasicRequestContext>.forwardedProtocol])
    }
}

/// Prevents foreign pages from using the API with a logged-in user's cookie, and keeps bodies within
/// their limit, on every path.
struct SiteMiddleware<Context: RequestContext>: RouterMiddleware {
    static var fetchSite: HTTPField.Name { .init("Sec-Fetch-Site") ?? .origin }
    static var forwardedProtocol: HTTPField.Name { .init("X-Forwarded-Proto") ?? .origin }

    let policy: SitePolicy
    /// Longest body of a request, bytes.
    let bodyBytes: Int

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try check(request)
        // Read by whoever has checked the token: these bodies are long.
        if ObservedPath.contains(request) { return try await next(request, context) }
        var request = request
        let body = try await collect(&request)
        try checkType(of: body, request)
        return try await next(request, context)
    }

    private func check(_ request: Request) throws(APIError) {
        let changes = ![.get, .head, .options].contains(request.method)
        // A token that no browser adds by itself is no trick of a page: those of listed origins may bring one.
        let hasOwnToken = changes && request.headers[.authorization] != nil
        let verdict =
            hasOwnToken || ObservedPath.contains(request)
            ? policy.verdict(onSocket: .init(request)) : policy.verdict(on: .init(request), changes: changes)
        switch verdict {
        case .allowed: break
        case .foreign:
            throw APIError(
                .forbidden,
                ServerError(
                    .forbidden,
                    "a page of another origin may not do this; see --public-url and --allow-origin"))
        case .misdirected:
            throw APIError(
                .misdirectedRequest,
                ServerError(.forbidden, "this host name is not configured; set it with --public-url"))
        }
    }

    private func collect(_ request: inout Request) async throws -> ByteBuffer {
        try request.checkLength(upTo: bodyBytes)
        do { return try await request.collectBody(upTo: bodyBytes) } catch is NIOTooManyBytesError {
            throw APIError.tooLong(bodyBytes)
        }
    }

    /// Forms of other sites cannot send JSON; so where a browser adds the credentials, or gets them, nothing
    /// else is read.
    private func checkType(of body: ByteBuffer, _ request: Request) throws(APIError) {
        guard body.readableBytes > 0, request.headers[.authorization] == nil else { return }
        let type = request.headers[.contentType]?.prefix { $0 != ";" } ?? ""
        guard type.lowercased().filter({ $0 != " " }) == "application/json" else {
            throw APIError(
                .unsupportedMediaType,
                ServerError(.malformed, "send the body as Content-Type: application/json"))
        }
    }
}

/// Tells browsers to come by TLS only, where they came by TLS (RFC 6797).
struct StrictTransport<Context: RequestContext>: RouterMiddleware {
    let policy: SitePolicy

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if policy.isSecure(request) { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }
}
