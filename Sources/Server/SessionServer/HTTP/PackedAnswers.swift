// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Packs what is read of the history with gzip, for those who take it so (RFC 9110, 8.4.1).
///
/// Pages and scripts are packed once, by ``WebFiles``; all else is in the task of its request and piece by piece. NIO's compressor
/// works on the event loop, where a long history would hold up the sockets of calls.
struct PackedAnswers<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.method == .get else { return response }
        let shrinks = response.shrinks
        if shrinks || response.headers[.contentEncoding] != nil || response.status == .notModified {
            response.headers[.vary] = [response.headers[.vary], "Accept-Encoding"].compactMap(\.self)
                .joined(separator: ", ")
        }
        // Another server of the cluster would unpack it: it packs the answer itself if its client takes that.
        guard shrinks, request.headers.takesGzip, request.headers[.sightlineNode] == nil else {
            return response
        }
        let body = response.body
        response.body = ResponseBody { writer in
            try await body.write(PackingWriter(parent: writer, packer: GzipPacker()))
        }
        response.headers[.contentEncoding] = "gzip"
        return response
    }
}

extension Response {
    /// Whether it gets shorter, and can wait until a piece of it is packed: events are sent as they happen.
    var shrinks: Bool {
        guard status == .ok, headers[.contentEncoding] == nil, let type = headers[.contentType],
            body.contentLength.map({ $0 >= GzipPacker.least }) ?? true
        else { return false }
        let name = type.prefix { $0 != ";" }
        return name.hasPrefix("text/") && name != "text/event-stream" || name == "application/json"
    }
}

extension HTTPFields {
    /// Whether whoever sends them takes gzip: `Accept-Encoding` names it, and not with a weight of 0.
    var takesGzip: Bool {
        (self[.acceptEncoding] ?? "").lowercased().split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.first == "gzip" else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }
}

/// Packs what is written, and writes it on.
private struct PackingWriter: ResponseBodyWriter {
    /// What is packed in one go, bytes: a few milliseconds' work.
    private static let pieceBytes = 1 << 16

    var parent: any ResponseBodyWriter
    let packer: GzipPacker

    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceBytes)),
            piece.readableBytes > 0
        {
            let packed = try packer.pack(piece)
            if packed.readableBytes > 0 { try await parent.write(packed) }
            // Others have their turn: a long answer is not all that there is to do.
            await Task.yield()
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await parent.write(packer.pack(ByteBuffer(), isLast: true))
        try await parent.finish(trailingHeaders)
    }
}
