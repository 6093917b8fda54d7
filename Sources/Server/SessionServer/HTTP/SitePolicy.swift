// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Who may use the server from within a browser, and under which names it is reached.
///
/// Pure.
///
/// Browsers say which page a request comes from (`Origin`, `Sec-Fetch-Site`), and no page can change that.
/// A client that sends neither is no browser, and has to bring a token that no browser adds by itself.
package struct SitePolicy: Sendable {
    /// The checked parts of a request.
    struct Visitor: Sendable {
        /// The `Host` field.
        var host: String?
        var origin: String?
        /// The `Sec-Fetch-Site` field.
        var site: String?
    }

    /// Kind of a request.
    enum Verdict: Sendable, Equatable {
        case allowed
        /// Of a page that may not.
        case foreign
        /// For a name that is not this server's.
        case misdirected
    }

    /// Name of the page's origin that stands for all.
    static let anyOrigin = "*"

    private let isTLS: Bool
    private let trustsProxy: Bool
    /// Such as `https://calls.example.org`.
    private let ownOrigin: String?
    /// Those by which clients and other servers come, beside loopback ones.
    private let ownHosts: Set<String>
    private let allowedOrigins: Set<String>
    /// Whether only names of this machine lead here, so that another in `Host` is a trick (DNS rebinding).
    private let isLocal: Bool

    init(_ configuration: SessionServerConfiguration) {
        isTLS = configuration.tls != nil
        trustsProxy = configuration.site.trustsProxy
        ownOrigin = configuration.site.publicURL.flatMap { Self.origin($0.absoluteString) }
        let route = configuration.store?.cluster?.route
        let addresses = [route?.url, route?.internalURL].compactMap { $0.flatMap(URL.init(string:)) }
        ownHosts = Set(
            ([configuration.site.publicURL].compactMap(\.self) + addresses).compactMap {
                $0.host()?.lowercased()
            })
        allowedOrigins = Set(
            configuration.site.allowedOrigins.map { Self.origin($0) ?? $0.lowercased() })
        isLocal = Self.isLoopback(configuration.host)
    }

    /// Whether a request travels encrypted, at least from the client to a proxy of ours.
    ///
    /// - Parameter forwardedProtocol: The `X-Forwarded-Proto` field.
    func isSecure(forwardedProtocol: String?) -> Bool {
        isTLS || ownOrigin?.hasPrefix("https://") == true
            || (trustsProxy && forwardedProtocol?.lowercased() == "https")
    }

    /// Whether someone may use the HTTP interface.
    ///
    /// - Parameter changes: Whether the request changes anything.
    func verdict(on visitor: Visitor, changes: Bool) -> Verdict {
        guard isOurs(host: visitor.host) else { return .misdirected }
        return !changes || isSameSite(visitor) ? .allowed : .foreign
    }

    /// Whether someone may open a WebSocket, or bring the reports of an observed call: what needs a token that no browser
    /// adds by itself, and what pages of listed origins may do.
    func verdict(onSocket visitor: Visitor) -> Verdict {
        guard isOurs(host: visitor.host) else { return .misdirected }
        let isListed = allowedOrigins.contains(Self.anyOrigin) || visitor.origin.map(isListed) == true
        return isListed || isSameSite(visitor) ? .allowed : .foreign
    }

    /// Whether an origin is one whose pages may join calls and use the API by tokens.
    func isListed(_ origin: String) -> Bool {
        allowedOrigins.contains(Self.anyOrigin) || Self.origin(origin).map(allowedOrigins.contains) == true
    }

    private func isSameSite(_ visitor: Visitor) -> Bool {
        let origin = visitor.origin.flatMap(Self.origin)
        if let origin, origin == ownOrigin { return true }
        switch visitor.site?.lowercased() {
        case "same-origin", "none": return true
        case nil: break
        default: return false
        }
        guard visitor.origin != nil else { return true }
        guard let origin, let host = visitor.host else { return false }
        // A proxy may have ended TLS: the scheme is not ours to compare.
        let scheme = String(origin.prefix { $0 != ":" })
        return origin == Self.origin("\(scheme)://\(host)")
    }

    private func isOurs(host: String?) -> Bool {
        guard isLocal, let host else { return true }
        guard let name = URL(string: "http://\(host)")?.host()?.lowercased() else { return false }
        return Self.isLoopback(name) || ownHosts.contains(name)
    }

    /// Whether a name or an address is this machine's own.
    package static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Scheme, name and port in lower case, without the port if it is the scheme's own; `nil` if it is no
    /// origin.
    static func origin(_ text: String) -> String? {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            let host = url.host()?.lowercased(), !host.isEmpty
        else { return nil }
        let standard = ["http": 80, "ws": 80, "https": 443, "wss": 443][scheme]
        guard let port = url.port, port != standard else { return "\(scheme)://\(host)" }
        return "\(scheme)://\(host):\(port)"
    }
}
