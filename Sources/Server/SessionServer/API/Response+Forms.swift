// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Crypto
import Foundation
import HTTPTypes
import Hummingbird

extension Response {
    /// An answer of text that no one keeps.
    static func text(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// What recordings are: lines of JSON.
    static let recordingType = "application/x-ndjson"

    /// Lines, of comma-separated values unless `type` says otherwise, with the cursor of the next page in a field of its own.
    static func page(of lines: String, _ type: String = "text/csv; charset=utf-8", next: String?) -> Response
    {
        var response = text(lines, type)
        response.headers[.sightlineNext] = next
        return response
    }

    /// A page of its own, which loads and runs nothing.
    static func page(_ html: String) -> Response {
        var response = text(html, "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    /// JSON with a tag; nothing but the tag for someone who has it already.
    static func tagged(_ body: some Encodable, _ request: Request) throws -> Response {
        let data = try JSONEncoder.sorted.encode(body)
        return tagged(data, tag(of: data), [.contentType: "application/json"], request)
    }

    /// A tag that the same content has, and no other; weak, for it may come packed.
    static func tag(of bytes: some DataProtocol) -> String {
        "W/\"\(SHA256.hash(data: bytes).prefix(12).hexDigits)\""
    }

    /// Bytes with their tag, to be asked for again each time; nothing but the tag for someone who has them already.
    static func tagged(
        _ bytes: some Sequence<UInt8>, _ tag: String, _ fields: HTTPFields, _ request: Request
    ) -> Response {
        var headers = fields
        headers[.cacheControl] = "no-cache"
        headers[.eTag] = tag
        let known = request.headers[.ifNoneMatch]?.split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        if known?.contains(where: { $0 == tag || "W/\($0)" == tag || $0 == "*" }) == true {
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Server-sent events, until they end or the client goes.
    static func events(_ messages: AsyncStream<LiveFeed.Message>) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { writer in
                try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
                for await message in messages {
                    try await writer.write(ByteBuffer(string: message.event))
                }
                try await writer.finish(nil)
            })
    }
}

extension LiveFeed.Message {
    /// As it is sent; a comment if it says nothing but that the server is there.
    fileprivate var event: String {
        guard !type.isEmpty else { return ":\n\n" }
        return "id: \(number)\nevent: \(type)\ndata: \(json)\n\n"
    }
}
