// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How far the opening of a socket has come.
public enum SignalingProgress: Sendable, Equatable {
    /// The server takes connections.
    case reached
    /// TLS is agreed on; plain sockets leave it out.
    case secured
}

extension SignalingTransport {
    /// For transports that tell nothing: opens a WebSocket.
    public func open(
        _ address: SignalingAddress, telling listener: @escaping @Sendable (SignalingProgress) -> Void
    ) async throws -> any SignalingChannel {
        try await open(address)
    }
}
