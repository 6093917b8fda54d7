// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOEmbedded
import NIOWebSocket

@testable import NIOSignaling

enum FrameFuzzing {
    /// Longest message, bytes; less than the SDK's, so that inputs can reach it.
    private static let limit = 4096

    /// How servers pack: not at all, each message for itself, and with a window that is kept.
    private static let answers: [DeflateAnswer?] = [
        nil, DeflateAnswer("permessage-deflate; server_no_context_takeover"),
        DeflateAnswer("permessage-deflate"),
    ]

    private struct Outcome: Equatable {
        var texts: [String] = []
        var failure: MessageReader.Failure?
    }

    /// What a server sends after the upgrade, in one piece and in many: the same comes of both.
    ///
    /// The first byte says how the server packs, and how large the pieces are.
    static func run(_ input: UnsafeRawBufferPointer) throws {
        guard let first = input.first else { return }
        let bytes = [UInt8](input.dropFirst())
        let answer = answers[Int(first) % answers.count]
        let whole = try read(bytes, pieces: max(1, bytes.count), answer)
        let cut = try read(bytes, pieces: Int(first) / answers.count + 1, answer)
        try require(
            whole == cut, "\(whole.texts.count) texts in one piece, \(cut.texts.count) in many")
    }

    private static func read(
        _ bytes: [UInt8], pieces size: Int, _ answer: DeflateAnswer?
    ) throws -> Outcome {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(
            ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limit)))
        try channel.connect(to: .init(unixDomainSocketPath: "/fuzz")).wait()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        for start in stride(from: 0, to: bytes.count, by: size) {
            // What the decoder does not take ends the socket.
            do {
                try channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + size)]))
            } catch { break }
        }
        var reader = MessageReader(limit: limit, packing: answer)
        var outcome = Outcome()
        while let frame = try channel.readInbound(as: WebSocketFrame.self) {
            guard [.text, .binary, .continuation].contains(frame.opcode) else { continue }
            guard let text = take(frame, &reader, &outcome) else { continue }
            try require(outcome.failure == nil, "a text follows a failure")
            // Each byte that is no UTF-8 becomes a character of three.
            try require(text.utf8.count <= 3 * limit, "a text of \(text.utf8.count) bytes")
            outcome.texts.append(text)
        }
        return outcome
    }

    private static func take(
        _ frame: WebSocketFrame, _ reader: inout MessageReader, _ outcome: inout Outcome
    ) -> String? {
        do throws(MessageReader.Failure) {
            return try reader.take(frame)
        } catch {
            outcome.failure = error
            return nil
        }
    }
}
