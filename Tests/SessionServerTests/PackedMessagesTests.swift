// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CZlib
import NIOCore
import NIOEmbedded
import NIOWebSocket
import Packing
import SessionWire
import TestSupport
import Testing

@testable import SessionServer

@Suite("Packed messages (RFC 7692)")
struct PackedMessagesTests {
    /// Packs, as a client does that keeps a window.
    private final class Packer {
        private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

        init(windowBits: Int32) {
            stream.initialize(to: z_stream())
            let size = Int32(MemoryLayout<z_stream>.size)
            deflateInit2_(stream, 6, Z_DEFLATED, -windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        }

        deinit {
            deflateEnd(stream)
            stream.deallocate()
        }

        func pack(_ message: [UInt8]) -> ByteBuffer {
            // zlib makes nothing of nothing (RFC 7692, 7.2.3.6).
            guard !message.isEmpty else { return ByteBuffer(bytes: [0]) }
            var input = message
            var output = [UInt8](repeating: 0, count: message.count + message.count / 2 + 100)
            let room = UInt32(output.count)
            let made = input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_in = input.baseAddress
                    stream.pointee.avail_in = UInt32(input.count)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = room
                    deflate(stream, Z_SYNC_FLUSH)
                    return Int(room - stream.pointee.avail_out)
                }
            }
            // The empty block at the end is not sent.
            return ByteBuffer(bytes: output[..<max(0, made - 4)])
        }
    }

    private static func frame(
        _ bytes: [UInt8], _ opcode: WebSocketOpcode = .text, fin: Bool = true, isPacked: Bool = true
    ) -> WebSocketFrame {
        WebSocketFrame(fin: fin, rsv1: isPacked, opcode: opcode, data: ByteBuffer(bytes: bytes))
    }

    /// Makes events of frames.
    private struct Reader {
        var assembler: MessageAssembler
        var unpacker: MessageUnpacker

        mutating func take(_ frame: WebSocketFrame) -> SocketEvent? {
            assembler.take(frame).flatMap { unpacker.event($0) }
        }
    }

    private static func reader(windowBits: Int? = 12, limit: Int = 1000) throws -> Reader {
        let offer =
            windowBits.map { "permessage-deflate; client_max_window_bits=\($0)" } ?? "permessage-deflate"
        let agreement = try #require(DeflateAgreement(offers: [offer]))
        return Reader(
            assembler: MessageAssembler(limit: limit, fragments: 1024),
            unpacker: MessageUnpacker(limit: limit, packing: agreement))
    }

    private static let hello = SocketEvent.text(ByteBuffer(string: "Hello"))
    private static let packedHello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    @Test(
        "of what clients offer, what can be had is agreed on",
        arguments: [
            // As Chromium asks.
            ("permessage-deflate; client_max_window_bits", "client_max_window_bits=12"),
            ("Permessage-Deflate;client_max_window_bits = \"10\"", "client_max_window_bits=10"),
            ("permessage-deflate; client_max_window_bits=15", "client_max_window_bits=12"),
            // As Firefox asks.
            ("permessage-deflate", "client_no_context_takeover"),
            (
                "permessage-deflate; client_no_context_takeover; client_max_window_bits",
                "client_no_context_takeover"
            ),
            ("permessage-deflate; server_no_context_takeover", "client_no_context_takeover"),
            ("permessage-deflate; server_max_window_bits=10", nil),
            ("permessage-deflate; client_max_window_bits=8", nil),
            ("permessage-deflate; client_max_window_bits=16", nil),
            ("permessage-deflate; client_max_window_bits=", nil),
            ("permessage-deflate; client_max_window_bits; client_max_window_bits", nil),
            ("permessage-deflate; client_no_context_takeover=1", nil), ("permessage-deflate; other", nil),
            ("permessage-deflate;", nil), ("x-webkit-deflate-frame", nil), ("", nil), (";=;", nil),
        ])
    func agreement(offer: String, wanted: String?) {
        let answer = DeflateAgreement(offers: [offer])?.answer
        #expect(answer == wanted.map { "permessage-deflate; server_no_context_takeover; \($0)" })
    }

    /// What a client makes of a frame that the server sends it.
    private static func text(of frame: WebSocketFrame) throws -> [UInt8] {
        let bytes = Array(buffer: frame.data)
        guard frame.rsv1 else { return bytes }
        var inflater = MessageInflater(windowBits: nil)
        return try inflater.unpack(bytes, limit: 1 << 20)
    }

    @Test("what is sent is packed from 200 bytes on, to who takes it so, and if it gets shorter")
    func outgoing() throws {
        var random = SeededRandom(seed: 1)
        let noise = (0..<3000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let line = Array("a=rtcp-fb:96 transport-cc\r\n".utf8)
        let lines = (0..<100).flatMap { _ in line }
        for (bytes, isPacked) in [
            (Array(lines.prefix(199)), false), (Array(lines.prefix(200)), true), (lines, true),
            (noise, false), ([], false),
        ] {
            let text = OutgoingText(SharedText(bytes))
            for mayPack in [true, false] {
                let frame = text.frame(mayPack: mayPack)
                #expect(frame.fin && frame.opcode == .text && frame.rsv1 == (isPacked && mayPack))
                #expect(frame.length <= bytes.count && (!frame.rsv1 || frame.length < bytes.count / 2))
                #expect(try Self.text(of: frame) == bytes)
            }
        }
    }

    @Test("what goes to many is packed once, and numbered for each")
    func broadcast() throws {
        let message = ServerMessage(
            .streamDestroyed(.init(id: String(repeating: "stream", count: 50), reason: "left")))
        let shared = SharedText(ServerMessage.unnumbered(try message.json()))
        let packed = try #require(shared.packedBytes)
        for number in [1, 7, 4_000_000_000] {
            let frame = OutgoingText(shared, after: ServerMessage.number(number)).frame(mayPack: true)
            #expect(
                frame.rsv1
                    && Array(buffer: frame.data).suffix(packed.readableBytes).elementsEqual(
                        packed.readableBytesView)
            )
            var wanted = message
            wanted.seq = number
            #expect(try ServerMessage(json: Self.text(of: frame)) == wanted)
            let plain = OutgoingText(shared, after: ServerMessage.number(number)).frame(mayPack: false)
            #expect(try ServerMessage(json: Self.text(of: plain)) == wanted)
        }
    }

    @Test("the first offer that can be had is taken")
    func offers() throws {
        let offers = ["other", "permessage-deflate; server_max_window_bits=9", "permessage-deflate"]
        #expect(try #require(DeflateAgreement(offers: offers)).windowBits == nil)
        #expect(DeflateAgreement(offers: [String]()) == nil)
    }

    @Test("the examples of RFC 7692, 7.2.3, are read")
    func examples() throws {
        var reader = try Self.reader()
        #expect(reader.take(Self.frame(Self.packedHello)) == Self.hello)
        // What builds on the message before.
        #expect(reader.take(Self.frame([0xF2, 0x00, 0x11, 0x00, 0x00])) == Self.hello)
        // In fragments, of which the first alone says that it is packed; plain ones come between.
        #expect(reader.take(Self.frame([0xF2, 0x48, 0xCD], fin: false)) == nil)
        let rest = Self.frame([0xC9, 0xC9, 0x07, 0x00], .continuation, isPacked: false)
        #expect(reader.take(rest) == Self.hello)
        #expect(reader.take(Self.frame(Array("Hello".utf8), isPacked: false)) == Self.hello)
        // Blocks that are not packed, that are the last, and several.
        for bytes: [UInt8] in [
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
        ] {
            #expect(reader.take(Self.frame(bytes)) == Self.hello, "\(bytes)")
        }
    }

    @Test(
        "whatever is packed is what it was, with a window and without", arguments: [9, 12, nil],
        Seed.draw(3))
    func roundTrip(windowBits: Int?, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var reader = try Self.reader(windowBits: windowBits, limit: 100_000)
        var packer = Packer(windowBits: Int32(windowBits ?? 15))
        for number in 0..<60 {
            if windowBits == nil { packer = Packer(windowBits: 15) }
            let length = Int.random(in: 0..<(number % 10 == 0 ? 90_000 : 900), using: &random)
            let letters = UInt8.random(in: 1...255, using: &random)
            let message = (0..<length).map { _ in UInt8.random(in: 0...letters, using: &random) }
            let event = reader.take(Self.frame(Array(packer.pack(message).readableBytesView)))
            #expect(event == .text(ByteBuffer(bytes: message)), "message \(number)")
        }
    }

    @Test("a message that is too long when it is unpacked ends the socket, however short it came")
    func tooLong() throws {
        for length in [1000, 1001, 4_000_000] {
            var reader = try Self.reader()
            let packed = Packer(windowBits: 12).pack([UInt8](repeating: 7, count: length))
            #expect(length > 1001 || packed.readableBytes < 100)
            let event = reader.take(Self.frame(Array(packed.readableBytesView.prefix(900))))
            let message = ByteBuffer(repeating: 7, count: 1000)
            #expect(event == (length > 1000 ? .tooLarge : .text(message)), "\(length)")
        }
    }

    @Test("what cannot be unpacked cannot be read, nor what builds on it; what is not packed can")
    func damaged() throws {
        let plain = Self.frame(Array("Hello".utf8), isPacked: false)
        for bytes: [UInt8] in [
            [0xFF], [0x06, 0x06], [0x00, 0x05, 0x00, 0xFA, 0xFE, 1], [0xF2, 0x00, 0x11, 0, 0],
        ] {
            var reader = try Self.reader()
            #expect(reader.take(Self.frame(bytes)) == .unreadable, "\(bytes)")
            #expect(reader.take(Self.frame(Self.packedHello)) == .unreadable)
            #expect(reader.take(plain) == Self.hello)
        }
        // A packed message that no one reads changes the window too.
        var reader = try Self.reader()
        #expect(reader.take(Self.frame(Self.packedHello, .binary)) == .unreadable)
        #expect(reader.take(Self.frame([0xF2, 0x00, 0x11, 0x00, 0x00])) == .unreadable)
        // Nor one where it was not agreed on.
        var other = Reader(
            assembler: MessageAssembler(limit: 1000, fragments: 5),
            unpacker: MessageUnpacker(limit: 1000, packing: nil))
        #expect(other.take(Self.frame(Self.packedHello)) == .unreadable)
        #expect(other.take(plain) == Self.hello)
    }

    @Test("a message that is cut off cannot be unpacked, and is no shorter one", arguments: [12, nil])
    func cutOff(windowBits: Int?) throws {
        let message = Array("{\"type\":\"leave\",\"id\":1234}".utf8)
        let packed = Array(Packer(windowBits: 12).pack(message).readableBytesView)
        for length in 1...packed.count {
            var reader = try Self.reader(windowBits: windowBits)
            let event = reader.take(Self.frame(Array(packed.prefix(length))))
            let isWhole = length == packed.count
            #expect(event == (isWhole ? .text(ByteBuffer(bytes: message)) : .unreadable), "\(length)")
        }
    }

    /// Deals with messages slowly, and notes how much it was given at once.
    private actor SlowUser: SocketUser {
        private(set) var batches: [Int] = []
        private(set) var messages = 0
        private(set) var isOver = false

        func take(_ work: [SocketWork]) async {
            var bytes = 0
            for item in work {
                switch item {
                case .event(let event):
                    bytes += event.bytes
                    messages += 1
                case .closed: isOver = true
                case .opened: break
                }
            }
            batches.append(bytes)
            await Task.yield()
        }
    }

    @Test("what is packed stays so until its turn, however much of it comes at once", .timeLimit(.minutes(1)))
    func manyAtOnce() async throws {
        let limits = SessionServerLimits()
        let agreement = try #require(
            DeflateAgreement(offers: ["permessage-deflate; client_max_window_bits"]))
        let user = SlowUser()
        let channel = NIOAsyncTestingChannel()
        try await channel.testingEventLoop.executeInContext {
            try channel.pipeline.syncOperations.addHandlers(
                SocketHandler(timeouts: .init()),
                ClientHandler(user, limits: limits, timeouts: .init(), packing: agreement))
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        let packer = Packer(windowBits: 12)
        let spaces = [UInt8](repeating: 32, count: limits.unjoinedMessageBytes)
        for _ in 0..<500 {
            try await channel.writeInbound(Self.frame(Array(packer.pack(spaces).readableBytesView)))
        }
        try await channel.close().get()
        while await !user.isOver {
            await channel.testingEventLoop.run()
            await Task.yield()
        }
        #expect(await user.messages == 500)
        let most = await user.batches.max() ?? 0
        #expect(most <= ClientHandler.batchBytes + limits.unjoinedMessageBytes)
    }
}
