// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import Hummingbird
import SessionWire

/// Answers what is asked of a path by a method that it does not take: 405, with those that it takes.
enum OtherMethods {
    /// Those that are registered for HTTP and in use; another one finds nothing at any path.
    static let known: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace]
        + [HTTPRequest.Method(rawValue: "QUERY")].compactMap { $0 }

    /// Adds the answers for all paths that a router has so far.
    static func refuse(on router: Router<BasicRequestContext>) {
        let routes = Dictionary(grouping: router.routes, by: \.path.description)
        for (path, routes) in routes {
            let taken = routes.map(\.method).sorted { $0.rawValue < $1.rawValue }
            for method in known where !taken.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    throw APIError(
                        .methodNotAllowed,
                        ServerError(.malformed, "this path does not support \(method.rawValue)"),
                        allowed: taken)
                }
            }
        }
    }
}
