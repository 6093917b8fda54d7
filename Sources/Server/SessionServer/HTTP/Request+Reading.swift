// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Hummingbird
import NIOCore
import SessionWire

extension Request {
    /// Refuses a body that says that it is too long.
    ///
    /// - Throws: ``APIError`` 413.
    func checkLength(upTo bytes: Int) throws(APIError) {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > bytes {
            throw .tooLong(bytes)
        }
    }

    /// The body as it came.
    ///
    /// - Throws: ``APIError`` 413.
    func bytes(upTo bytes: Int) async throws -> ByteBuffer {
        try checkLength(upTo: bytes)
        do { return try await body.collect(upTo: bytes) } catch is NIOTooManyBytesError {
            throw APIError.tooLong(bytes)
        }
    }

    /// Reads the body.
    ///
    /// - Parameters:
    ///   - bytes: The longest that it may be.
    ///   - standard: What an empty one stands for; `nil` if it may not be empty.
    /// - Throws: ``APIError`` 400 or 413.
    func read<Body: Decodable>(upTo bytes: Int, whenEmpty standard: Body? = nil) async throws -> Body {
        let buffer = try await self.bytes(upTo: bytes)
        if buffer.readableBytes == 0, let standard { return standard }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(buffer.readableBytesView)) else {
            throw APIError(
                .badRequest, ServerError(.malformed, "the body is not the JSON that is expected here"))
        }
        return body
    }
}

extension BasicRequestContext {
    /// A name in the path, as it was before it was encoded for the address.
    ///
    /// - Throws: ``APIError`` 400 if it is encoded as nothing is.
    func name(_ parameter: String) throws(APIError) -> String {
        guard let name = (parameters.get(parameter) ?? "").removingPercentEncoding else {
            throw APIError(
                .badRequest, ServerError(.malformed, "a name in the path is not percent-encoded UTF-8"))
        }
        return name
    }
}
