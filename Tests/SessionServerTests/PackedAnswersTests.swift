// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Hummingbird
import NIOCore
import NIOHTTP1
import Packing
import TestSupport
import Testing

@testable import SessionServer

@Suite("Packed answers") struct PackedAnswersTests {
    private static let paths = [
        "/web/client/client.js", "/web/shared/style.css", "/web/client/index.d.ts",
    ]

    @Test("come to who takes them so; unpacked they are what others get")
    func packed() async throws {
        try await TestServer.run { server in
            for path in Self.paths {
                let plain = try await TestHTTP.request(.GET, path, port: server.port)
                #expect(plain.headers.first(name: "Content-Encoding") == nil && plain.body.count > 1024)
                #expect(plain.headers.first(name: "Vary") == "Accept-Encoding", "\(path)")
                let packed = try await Self.get(path, server, accepting: "br, GZIP;q=0.5")
                #expect(packed.headers.first(name: "Content-Encoding") == "gzip", "\(path)")
                #expect(packed.headers.first(name: "Vary") == "Accept-Encoding", "\(path)")
                #expect(packed.body.count < plain.body.count / 2)
                #expect(try Self.unpack(packed.body) == plain.body, "\(path)")
            }
        }
    }

    @Test("observing takes a page 12 KB of scripts at most")
    func observer() async throws {
        try await TestServer.run { server in
            var (waiting, sizes) = (["/web/observe/observe.js"], [String: Int]())
            while let path = waiting.popLast() {
                let packed = try await Self.get(path, server, accepting: "gzip")
                sizes[path] = packed.body.count
                let text = String(decoding: try Self.unpack(packed.body), as: UTF8.self)
                let folders = path.split(separator: "/").dropLast()
                for name in text.matches(of: /(?m)^(?:import|export) .* from "([^"]+)";/).map(\.1) {
                    var folder = folders
                    for part in name.split(separator: "/") where part != "." {
                        if part == ".." { folder.removeLast() } else { folder.append(part) }
                    }
                    let other = "/" + folder.joined(separator: "/")
                    if sizes[other] == nil, !waiting.contains(other) { waiting.append(other) }
                }
            }
            #expect(sizes.count == 8 && sizes.values.reduce(0, +) <= 12 * 1024, "\(sizes)")
        }
    }

    @Test("so are those of the API")
    func history() async throws {
        try await StoredCall.serve { server in
            let path = "/v1/sessions/call/samples"
            let plain = try await server.get(path)
            let packed = try await server.get(path, headers: ["Accept-Encoding": "gzip"])
            #expect(packed.headers.first(name: "Content-Encoding") == "gzip" && plain.status == 200)
            #expect(try Self.unpack(packed.body) == plain.body)
            // Another server of the cluster gets it plain.
            let passed = try await server.get(
                path, headers: ["Accept-Encoding": "gzip", "Sightline-Node": "a"])
            #expect(passed.headers.first(name: "Content-Encoding") == nil && passed.body == plain.body)
        }
    }

    @Test("are not sent again either, under the tag that all have")
    func tags() async throws {
        try await TestServer.run { server in
            let path = "/web/client/client.js"
            let plain = try await TestHTTP.request(.GET, path, port: server.port)
            let tag = try #require(
                try await Self.get(path, server, accepting: "gzip").headers.first(name: "ETag"))
            #expect(tag.hasPrefix("W/\"") && plain.headers.first(name: "ETag") == tag)
            // Whoever takes it for a strong one means the same.
            for known in [tag, String(tag.dropFirst(2)), "\"x\", \(tag)"] {
                let again = try await TestHTTP.request(
                    .GET, path, port: server.port,
                    headers: ["Accept-Encoding": "gzip", "If-None-Match": known])
                #expect(again.status == 304 && again.body.isEmpty, "\(known)")
                #expect(again.headers.first(name: "ETag") == tag)
                #expect(again.headers.first(name: "Vary") == "Accept-Encoding")
                #expect(again.headers.first(name: "Content-Encoding") == nil)
            }
        }
    }

    @Test("are none of what is short, refused, or asked for otherwise")
    func plain() async throws {
        try await TestServer.run { server in
            for path in ["/livez", "/readyz", "/v1/sessions", "/nothing"] {
                let answer = try await Self.get(path, server, accepting: "gzip")
                #expect(answer.headers.first(name: "Content-Encoding") == nil, "\(path)")
            }
            for coding in ["gzip;q=0", "br", "", "gzip; q=0.000, identity"] {
                let answer = try await Self.get("/web/client/client.js", server, accepting: coding)
                #expect(answer.headers.first(name: "Content-Encoding") == nil, "\(coding)")
            }
        }
    }

    @Test("events are sent as they happen")
    func events() {
        let response = Response(
            status: .ok, headers: [.contentType: "text/event-stream"], body: ResponseBody { _ in })
        #expect(!response.shrinks)
    }

    @Test("whatever is packed in whatever pieces is the same again", arguments: Seed.draw(20))
    func anything(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let packer = GzipPacker()
        var whole: [UInt8] = []
        var packed: [UInt8] = []
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            let alphabet = UInt8.random(in: 0...255, using: &random)
            let piece = (0..<Int.random(in: 0...100_000, using: &random)).map { _ in
                UInt8.random(in: 0...alphabet, using: &random)
            }
            whole += piece
            packed += Array(buffer: try packer.pack(ByteBuffer(bytes: piece)))
        }
        packed += Array(buffer: try packer.pack(ByteBuffer(), isLast: true))
        #expect(try Self.unpack(packed) == whole)
    }

    private static func get(
        _ path: String, _ server: TestServer, accepting coding: String
    ) async throws -> TestHTTP.Answer {
        try await TestHTTP.request(.GET, path, port: server.port, headers: ["Accept-Encoding": coding])
    }

    private static func unpack(_ bytes: [UInt8]) throws -> [UInt8] {
        let inflater = Inflater(.gzip)
        var (rest, whole) = (bytes[...], [UInt8]())
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let step = rest.withUnsafeBytes { input in
                piece.withUnsafeMutableBytes { inflater.unpack(input, into: $0) }
            }
            whole += piece.prefix(step.made)
            rest = rest.dropFirst(step.taken)
            if step.progress == .memberEnded, rest.isEmpty { return whole }
            try #require(step.progress == .going && (step.made > 0 || step.taken > 0))
        }
    }
}
