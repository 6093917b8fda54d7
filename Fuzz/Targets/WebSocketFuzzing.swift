// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOEmbedded
import NIOWebSocket
import SessionWire

@testable import SessionServer

enum WebSocketFuzzing {
    /// What a client sends after the upgrade, in one piece and in many: the same comes of both.
    ///
    /// The first byte says how large the pieces are, whether the client has joined, which raises limits, and whether it may pack its
    /// messages.
    static func run(_ input: UnsafeRawBufferPointer) throws {
        guard let first = input.first else { return }
        let bytes = [UInt8](input.dropFirst())
        let client = Client(hasJoined: first & 1 == 1, mayPack: first & 2 == 2)
        let whole = try happenings(bytes, pieces: max(1, bytes.count), of: client)
        let cut = try happenings(bytes, pieces: Int(first) / 2 + 1, of: client)
        try require(
            whole.events == cut.events,
            "\(whole.events.count) messages in one piece, \(cut.events.count) in many")
    }

    private struct Client {
        var hasJoined: Bool
        var mayPack: Bool

        var packing: DeflateAgreement? {
            mayPack ? DeflateAgreement(offers: ["permessage-deflate; client_max_window_bits"]) : nil
        }
    }

    private struct Outcome {
        var events: [SocketEvent] = []
        var answers = 0
    }

    private static func happenings(
        _ bytes: [UInt8], pieces size: Int, of client: Client
    ) throws -> Outcome {
        let channel = EmbeddedChannel()
        let decoder = FrameDecoder(
            limit: SessionServerLimits().unjoinedMessageBytes, upTo: SessionProtocol.messageLimit)
        try channel.pipeline.syncOperations.addHandlers(
            WebSocketFrameEncoder(), ByteToMessageHandler(decoder),
            SocketHandler(timeouts: .init(), decoder: decoder))
        try channel.connect(to: .init(unixDomainSocketPath: "/fuzz")).wait()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        if client.hasJoined { channel.triggerUserOutboundEvent(SocketJoined(), promise: nil) }
        var outcome = Outcome()
        for start in stride(from: 0, to: bytes.count, by: size) where channel.isActive {
            _ = try? channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + size)]))
        }
        var unpacker = MessageUnpacker(
            limit: client.hasJoined
                ? SessionProtocol.messageLimit : SessionServerLimits().unjoinedMessageBytes,
            packing: client.packing)
        while let message = try channel.readInbound(as: SocketMessage.self) {
            if let event = unpacker.event(message) { outcome.events.append(event) }
        }
        while let answer = try channel.readOutbound(as: ByteBuffer.self) {
            outcome.answers += answer.readableBytes
        }
        try check(outcome, bytes.count)
        return outcome
    }

    private static func check(_ outcome: Outcome, _ count: Int) throws {
        let ends = outcome.events.indices.filter { outcome.events[$0] == .tooLarge }
        try require(
            ends.isEmpty || ends == [outcome.events.count - 1],
            "something follows a message that was too large")
        for event in outcome.events {
            try require(event.bytes <= SessionProtocol.messageLimit, "a message of \(event.bytes) bytes")
        }
        // A pong is no longer than its ping, nor a close frame than the one that it answers.
        try require(outcome.answers <= 2 * count + 16, "\(count) bytes are answered by \(outcome.answers)")
    }
}
