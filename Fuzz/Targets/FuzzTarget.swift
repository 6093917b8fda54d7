// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What an input has shown to be wrong.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Holds code to something that has to be so, whatever the input.
func require(_ isSo: Bool, _ finding: @autoclosure () -> String) throws(Finding) {
    if !isSo { throw Finding(finding()) }
}

/// What is given inputs from outside: each is one entry of the product.
enum FuzzTarget: String, CaseIterable, Sendable {
    /// A getStats() report: read, redacted, written, and observed.
    case stats
    /// A client's message: read, validated, written.
    case client
    /// A client's telemetry, a message a line, as the server completes it.
    case telemetry
    /// What participants of observed calls send, step by step.
    case observed
    /// A server's message, as the SDK reads it.
    case server
    /// What several sockets, the router and the store do to the server's core, step by step.
    case core
    /// The bytes of a client's WebSocket.
    case websocket
    /// The bytes of a server's WebSocket, as the SDK reads them.
    case frames
    /// The router's lines, in both directions.
    case router
    /// A recording in any form.
    case recording
    /// A recording, judged, with the page about it.
    case replay
    /// The address and the fields of an HTTP request.
    case query
    /// The body of an HTTP request.
    case body
    /// Tokens, seals and credentials.
    case token
    /// Bytes that the store keeps of a sender's layers.
    case layers
    /// Bytes of a flow's minute.
    case chunk
    /// What the core has stored, and what is read of it.
    case store
    /// Conditions and schedules of emulated networks.
    case conditions

    /// What takes an input; it throws a ``Finding`` if something is wrong, or traps.
    enum Entry: Sendable {
        case now(@Sendable (UnsafeRawBufferPointer) throws -> Void)
        case later(@Sendable ([UInt8]) async throws -> Void)
    }

    var entry: Entry {
        switch self {
        case .stats: .now(StatsFuzzing.run)
        case .client: .now(MessageFuzzing.client)
        case .telemetry: .now(TelemetryFuzzing.run)
        case .observed: .now(ObservedFuzzing.run)
        case .server: .now(MessageFuzzing.server)
        case .core: .now(CoreFuzzing.run)
        case .websocket: .now(WebSocketFuzzing.run)
        case .frames: .now(FrameFuzzing.run)
        case .router: .now(RouterFuzzing.run)
        case .recording: .now(RecordingFuzzing.read)
        case .replay: .now(RecordingFuzzing.judge)
        case .query: .later(HTTPFuzzing.query)
        case .body: .now(HTTPFuzzing.body)
        case .token: .later(TokenFuzzing.run)
        case .layers: .now(StoreFuzzing.layers)
        case .chunk: .now(StoreFuzzing.chunk)
        case .store: .later(StoreFuzzing.run)
        case .conditions: .now(ConditionFuzzing.run)
        }
    }
}
