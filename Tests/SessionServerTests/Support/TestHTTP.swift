// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOHTTP1
import NIOPosix

/// One HTTP request on a connection of its own.
enum TestHTTP {
    typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    struct Answer: Sendable {
        var status = 0
        var headers = HTTPHeaders()
        var body: [UInt8] = []
    }

    static func request(
        _ method: HTTPMethod, _ path: String, port: Int, body: String? = nil, headers: HTTPHeaders = [:]
    ) async throws -> Answer {
        let channel = try await connect(port: port)
        return try await channel.executeThenClose { inbound, outbound in
            try await exchange(inbound, outbound, method, path, body, headers)
        }
    }

    /// A connection without a request so far.
    static func connect(port: Int) async throws -> Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Channel(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Sends a request and reads its answer; the connection stays open.
    static func exchange(
        _ inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>,
        _ method: HTTPMethod, _ path: String, _ body: String? = nil, _ headers: HTTPHeaders = [:]
    ) async throws -> Answer {
        var headers = headers
        if !headers.contains(name: "Host") { headers.add(name: "Host", value: "localhost") }
        headers.add(name: "Content-Length", value: "\(body?.utf8.count ?? 0)")
        if body != nil, !headers.contains(name: "Content-Type") {
            headers.add(name: "Content-Type", value: "application/json")
        }
        // Who is refused before the end of its request cannot send the rest, but has an answer.
        var failure: (any Error)?
        do {
            try await outbound.write(
                .head(.init(version: .http1_1, method: method, uri: path, headers: headers)))
            if let body { try await outbound.write(.body(.byteBuffer(ByteBuffer(string: body)))) }
            try await outbound.write(.end(nil))
        } catch { failure = error }
        var answer = Answer()
        for try await part in inbound {
            switch part {
            case .head(let head):
                answer.status = Int(head.status.code)
                answer.headers = head.headers
            case .body(let buffer): answer.body += Array(buffer.readableBytesView)
            case .end: return answer
            }
        }
        if let failure { throw failure }
        return answer
    }
}
