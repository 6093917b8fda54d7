// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionCore
import SessionWire

@testable import SessionServer

enum TokenFuzzing {
    private static let secret = "a secret of the fuzzer, long enough"
    private static let seal = RestorationSeal(secret: secret)

    /// Text where a token, a seal or credentials should be: it opens nothing.
    @Sendable static func run(_ input: [UInt8]) async throws {
        let text = String(decoding: input, as: UTF8.self)
        _ = BasicCredentials(authorization: text)?.matches(.init(name: "app", password: secret))
        _ = BasicCredentials(authorization: "Basic " + text)
        try require(seal.open(text) == nil, "a seal is opened that no one made")
        _ = TokenVerifier.algorithm(of: text)
        let tokens = try await APITokens(applicationID: "app", applicationSecret: secret)
        try require(await tokens.grant(text) == nil, "a token is good that no one made")
        let verifier = try await TokenVerifier(applicationID: "app", applicationSecret: secret)
        do {
            let grant = try await verifier.grant(for: text)
            throw Finding("a token is good that no one made: \(grant)")
        } catch let error as ServerError {
            _ = try ServerMessage(.error(error)).json()
        }
    }
}
