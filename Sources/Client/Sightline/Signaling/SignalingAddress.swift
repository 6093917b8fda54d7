// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionWire

/// Where a session server is.
public struct SignalingAddress: Sendable, Hashable, CustomStringConvertible {
    /// Whether the socket is encrypted (`wss`).
    public let isSecure: Bool
    /// Name or IP address, without brackets.
    public let host: String
    /// TCP port, 1 to 65535.
    public let port: Int
    /// Path and query, beginning with `/`.
    public let path: String

    /// Reads `ws://host:port`, `wss://…`, `http://…` or `https://…`.
    ///
    /// Without a path it is that of the session server.
    ///
    /// - Throws: ``SightlineError`` with code `invalidURL`.
    public init(_ url: String) throws(SightlineError) {
        let invalid = SightlineError(
            .invalidURL, "\"\(url)\" is not an address: use ws://host:port or wss://host:port")
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.fragment == nil
        else { throw invalid }
        switch scheme {
        case "ws", "http": isSecure = false
        case "wss", "https": isSecure = true
        default: throw invalid
        }
        port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65535).contains(port) else { throw invalid }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let path =
            parts.percentEncodedPath.isEmpty || parts.percentEncodedPath == "/"
            ? SessionProtocol.path : parts.percentEncodedPath
        self.path = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// The value of the `Host` header: an IPv6 address in brackets, the port unless it is the scheme's own.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Without path and query, which may carry secrets.
    public var description: String { "\(isSecure ? "wss" : "ws")://\(authority)" }
}
