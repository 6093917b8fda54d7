// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Sightline

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The SDK's WebSocket on URLSession, plain and over TLS: for Apple's systems.
///
/// It follows the system's proxies and trust. Messages may be up to 1 MiB long. A server that has been silent
/// for four ping intervals counts as gone. On Linux, whose URLSession need not have WebSockets, take
/// `NIOSignalingTransport`.
public struct URLSessionSignaling: SignalingTransport {
    /// How often the server is pinged, also when nothing else is to be said; 2 s.
    public var pingInterval: Duration

    /// Creates a transport.
    public init(pingInterval: Duration = .seconds(2)) {
        self.pingInterval = pingInterval
    }

    /// Opens a WebSocket.
    ///
    /// - Throws: `SightlineError` with code `invalidURL` or `connectionFailed` and what to do.
    public func open(_ address: SignalingAddress) async throws -> any SignalingChannel {
        guard let url = URL(string: "\(address)\(address.path)") else {
            throw SightlineError(.invalidURL, "\(address) is no address of a session server")
        }
        let socket = URLSessionSocket(url, pingInterval: pingInterval)
        do {
            try await socket.open()
        } catch {
            await socket.close()
            throw SightlineError(
                .connectionFailed,
                "the session server cannot be reached: \(error.localizedDescription) (\(address))")
        }
        return socket
    }
}
