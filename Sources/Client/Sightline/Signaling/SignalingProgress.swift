// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Progress of opening a socket.
public enum SignalingProgress: Sendable, Equatable {
    /// The server accepts connections.
    case reached
    /// TLS is agreed on; plain sockets leave it out.
    case secured
}

extension SignalingTransport {
    /// For transports that report no progress: opens a WebSocket.
    public func open(
        _ address: SignalingAddress, notifying listener: @escaping @Sendable (SignalingProgress) -> Void
    ) async throws -> any SignalingChannel {
        try await open(address)
    }
}
