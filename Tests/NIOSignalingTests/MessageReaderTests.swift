// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOEmbedded
import NIOWebSocket
import Packing
import Sightline
import TestSupport
import Testing

@testable import NIOSignaling

@Suite("What a server's frames say", .timeLimit(.minutes(1)))
struct MessageReaderTests {
    private static let agreed = "permessage-deflate; server_no_context_takeover"
    private static let packedHello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    private static func frame(
        _ bytes: [UInt8], _ opcode: WebSocketOpcode = .text, fin: Bool = true, isPacked: Bool = true
    ) -> WebSocketFrame {
        WebSocketFrame(fin: fin, rsv1: isPacked, opcode: opcode, data: ByteBuffer(bytes: bytes))
    }

    private static func plain(
        _ text: String, _ opcode: WebSocketOpcode = .text, fin: Bool = true
    ) -> WebSocketFrame {
        frame(Array(text.utf8), opcode, fin: fin, isPacked: false)
    }

    private static func packed(_ text: String) throws -> [UInt8] {
        let deflater = MessageDeflater(windowBits: 12, keepsWindow: false)
        return try #require(Array(text.utf8).withUnsafeBytes(deflater.pack))
    }

    private static func reader(_ answer: String? = agreed, limit: Int = 1000) -> MessageReader {
        MessageReader(limit: limit, packing: answer.flatMap { DeflateAnswer($0) })
    }

    /// What comes of frames: texts, and then how it ended.
    private static func read(
        _ frames: [WebSocketFrame], _ reader: MessageReader = reader()
    ) -> (texts: [String], failure: MessageReader.Failure?) {
        var reader = reader
        var texts: [String] = []
        for frame in frames {
            do throws(MessageReader.Failure) {
                if let text = try reader.take(frame) { texts.append(text) }
            } catch {
                return (texts, error)
            }
        }
        return (texts, nil)
    }

    @Test(
        "What servers answer is agreed on, or is no agreement",
        arguments: [
            ("permessage-deflate; server_no_context_takeover; client_max_window_bits=12", 12, true, nil),
            (
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover", 15, false, nil
            ),
            ("Permessage-Deflate;client_max_window_bits = \"9\"", 9, true, 15),
            ("permessage-deflate; server_max_window_bits=8", 15, true, 8),
            ("permessage-deflate; server_max_window_bits=10; server_no_context_takeover", 15, true, nil),
        ] as [(String, Int, Bool, Int?)])
    func answers(text: String, client: Int, keeps: Bool, server: Int?) throws {
        let answer = try #require(DeflateAnswer(text))
        #expect(answer.clientWindowBits == client && answer.clientKeepsWindow == keeps)
        #expect(answer.serverWindowBits == server)
    }

    @Test(
        "An answer that makes no sense is no agreement",
        arguments: [
            "", "permessage-deflate;", "permessage-deflate; server_max_window_bits",
            "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=x",
            "permessage-deflate; client_max_window_bits=8", "permessage-deflate; other",
            "permessage-deflate; server_no_context_takeover=1",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        ])
    func noAnswer(text: String) {
        #expect(DeflateAnswer(text) == nil)
    }

    @Test(
        "Packed and plain texts are read, in fragments too, of which the first alone says that it is packed")
    func texts() throws {
        let (texts, failure) = Self.read([
            Self.frame(Self.packedHello), Self.plain("plain"), Self.frame(Self.packedHello),
            Self.frame([0xF2, 0x48], fin: false),
            Self.frame([], .continuation, fin: false, isPacked: false),
            Self.frame([0xCD, 0xC9], .continuation, fin: false, isPacked: false),
            Self.frame([0xC9, 0x07, 0x00], .continuation, isPacked: false),
            Self.plain("on", fin: false), Self.plain("e", .continuation),
            Self.frame(MessageDeflater.stored(Array("{\"seq\":7,".utf8)) + (try Self.packed("\"type\""))),
            Self.frame([0x00]), Self.frame([]),
        ])
        #expect(texts == ["Hello", "plain", "Hello", "Hello", "one", "{\"seq\":7,\"type\"", "", ""])
        #expect(failure == nil)
    }

    @Test("A server that keeps a window may refer to what it said, and to what no one reads")
    func window() {
        let builds: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
        let (texts, failure) = Self.read(
            [Self.frame(Self.packedHello, .binary), Self.frame(builds), Self.plain("x"), Self.frame(builds)],
            Self.reader("permessage-deflate"))
        #expect(texts == ["Hello", "x", "Hello"] && failure == nil)
        // One that said that it keeps none may not.
        #expect(Self.read([Self.frame(Self.packedHello), Self.frame(builds)]).failure == .damaged)
    }

    @Test("A text may have the limit and no more, however short it came")
    func limit() throws {
        for length in [1000, 1001, 4_000_000] {
            let packed = try Self.packed(String(repeating: "x", count: length))
            let (texts, failure) = Self.read([Self.frame(Array(packed.prefix(900)))])
            #expect(texts.map(\.count) == (length > 1000 ? [] : [1000]), "\(length)")
            #expect(failure == (length > 1000 ? .tooLong : nil), "\(length)")
        }
        let half = String(repeating: "x", count: 501)
        #expect(
            Self.read([Self.plain(half, fin: false), Self.plain(half, .continuation)]).failure == .tooLong)
        let empty = Array(repeating: Self.plain("", .continuation, fin: false), count: 1024)
        #expect(Self.read([Self.plain("", fin: false)] + empty).failure == .tooLong)
    }

    private static let refusals: [(String, [WebSocketFrame], String?, MessageReader.Failure)] = [
        ("packed, without an agreement", [frame(packedHello)], nil, .notAgreed),
        ("packed fragments, without an agreement", [frame([0xF2], fin: false)], nil, .notAgreed),
        (
            "a later fragment that says that it is packed",
            [frame([0xF2], fin: false), frame([0x48], .continuation)],
            agreed, .notAgreed
        ),
        (
            "another bit", [WebSocketFrame(fin: true, rsv2: true, opcode: .text, data: ByteBuffer())], agreed,
            .notAgreed
        ),
        ("a fragment of nothing", [plain("x", .continuation)], agreed, .outOfOrder),
        ("a message within another", [plain("x", fin: false), plain("y")], agreed, .outOfOrder),
        ("no such block", [frame([0xFF])], agreed, .damaged),
        ("a message that is cut off", [frame(Array(packedHello.dropLast()))], agreed, .damaged),
        ("what refers to before its beginning", [frame([0xF2, 0x00, 0x11, 0x00, 0x00])], agreed, .damaged),
        ("a block whose length is wrong", [frame([0x00, 0x05, 0x00, 0xFA, 0xFE, 1])], agreed, .damaged),
    ]

    @Test("What a server may not send ends the reading", arguments: refusals.indices)
    func refused(index: Int) throws {
        let (what, frames, answer, wanted) = Self.refusals[index]
        var reader = Self.reader(answer)
        let (texts, failure) = Self.read([Self.plain("first")] + frames, reader)
        #expect(texts == ["first"] && failure == wanted, "\(what)")
        for frame in frames { _ = try? reader.take(frame) }
        let more = try reader.take(Self.plain("more"))
        #expect(more == nil, "nothing follows")
    }

    @Test("Whatever comes, nothing is longer than the limit", arguments: Seed.draw(3))
    func noise(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let sound = try Self.packed(String((0..<900).map { "abc \($0)\n" }.joined().prefix(900)))
        for _ in 0..<2000 {
            var bytes = sound
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            let (texts, failure) = Self.read([Self.frame(bytes), Self.plain("after")])
            #expect(texts.allSatisfy { $0.utf8.count <= 3 * 1000 })
            #expect((failure == nil) == (texts.last == "after"))
        }
    }

    @Test(
        "A socket that cannot continue is closed with what the reason is",
        arguments: [
            (agreed, [0xFF], 1007, "cannot be unpacked"), (nil, packedHello, 1002, "not agreed on"),
            ("bomb", [], 1009, "over the limit"),
        ] as [(String?, [UInt8], UInt16, String)])
    func closes(answer: String?, bytes: [UInt8], code: UInt16, words: String) async throws {
        let isBomb = answer == "bomb"
        let text = String(repeating: " ", count: WebSocketHandler.messageLimit + 1)
        let frame = Self.frame(isBomb ? try Self.packed(text) : bytes)
        #expect(frame.length < 2000)
        let (channel, socket) = try await Self.open(isBomb ? Self.agreed : answer)
        try await channel.writeInbound(frame)
        #expect(try await Self.closeCode(channel) == code)
        #expect(!channel.isActive)
        var messages = socket.messages.makeAsyncIterator()
        let error = await #expect(throws: SightlineError.self) { _ = try await messages.next() }
        #expect(error?.code == .connectionLost && error?.message.contains(words) == true)
    }

    @Test("A ping between the fragments of a packed message is answered, and the message is read")
    func pingBetween() async throws {
        let (channel, socket) = try await Self.open(Self.agreed)
        try await channel.writeInbound(Self.frame([0xF2, 0x48], fin: false))
        try await channel.writeInbound(Self.plain("there?", .ping))
        try await channel.writeInbound(
            Self.frame([0xCD, 0xC9, 0xC9, 0x07, 0x00], .continuation, isPacked: false))
        let pong = try #require(try await channel.readOutbound(as: WebSocketFrame.self))
        #expect(pong.opcode == .pong && pong.data == ByteBuffer(string: "there?"))
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == "Hello")
        try await channel.close().get()
    }

    @Test("A control frame that says that it is packed ends the socket: that cannot be agreed on")
    func packedPing() async throws {
        let (channel, socket) = try await Self.open(Self.agreed)
        try await channel.writeInbound(Self.frame([], .ping))
        #expect(try await Self.closeCode(channel) == 1002)
        var messages = socket.messages.makeAsyncIterator()
        await #expect(throws: SightlineError.self) { _ = try await messages.next() }
    }

    /// A socket to a server that answers this to the offer to pack; `nil` if it answers nothing.
    private static func open(
        _ answer: String?
    ) async throws -> (channel: NIOAsyncTestingChannel, socket: WebSocketChannel) {
        let packing = answer.flatMap { DeflateAnswer($0) }
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        let socket = try await channel.testingEventLoop.executeInContext {
            try WebSocketChannel.make(on: channel, .seconds(2), packing: packing)
        }
        return (channel, socket)
    }

    /// What the client closes the socket with; `nil` if it sends something else.
    private static func closeCode(_ channel: NIOAsyncTestingChannel) async throws -> UInt16? {
        let frame = try #require(try await channel.readOutbound(as: WebSocketFrame.self))
        guard frame.opcode == .connectionClose else { return nil }
        // Masked only as it is encoded, below what a test's channel sees.
        return frame.data.getInteger(at: frame.data.readerIndex)
    }
}
