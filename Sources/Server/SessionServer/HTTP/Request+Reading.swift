// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Hummingbird
import SessionWire

extension Request {
    /// Reads the body.
    ///
    /// - Parameters:
    ///   - bytes: The longest that it may be.
    ///   - standard: What an empty one stands for; `nil` if it may not be empty.
    /// - Throws: ``APIError`` 400.
    func read<Body: Decodable>(upTo bytes: Int, whenEmpty standard: Body? = nil) async throws -> Body {
        let buffer = try await body.collect(upTo: bytes)
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
