// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Opens sockets to the session server: what a session needs of a WebSocket implementation.
///
/// `NIOSignalingTransport` has one for Linux and macOS; tests put a server in memory in its place.
public protocol SignalingTransport: Sendable {
    /// Opens a WebSocket.
    ///
    /// Gives up soon when its task is cancelled; the caller bounds the time in this way.
    ///
    /// - Throws: ``SightlineError`` that says what to do: `connectionFailed` if the server cannot be reached
    ///   or is not a session server.
    func open(_ address: SignalingAddress) async throws -> any SignalingChannel

    /// Opens a WebSocket and reports its progress, from any thread.
    ///
    /// - Throws: As ``open(_:)``.
    func open(
        _ address: SignalingAddress, notifying listener: @escaping @Sendable (SignalingProgress) -> Void
    ) async throws -> any SignalingChannel
}

/// An open WebSocket.
public protocol SignalingChannel: Sendable {
    /// What arrives, from the beginning: one whole text message each.
    ///
    /// Ends when the socket was closed in order, throws when it broke. One stream, for one reader; not
    /// bounded, because nothing of it may be lost.
    var messages: AsyncThrowingStream<String, any Error> { get }

    /// Sends a text message; returns when the socket has taken it.
    ///
    /// Calls come one after the other.
    ///
    /// - Throws: If the socket is closed or broken.
    func send(_ text: String) async throws

    /// Closes the socket; idempotent.
    ///
    /// ``messages`` ends then. Returns when the socket is gone.
    func close() async
}
