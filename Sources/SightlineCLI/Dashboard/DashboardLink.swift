// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionServer
import SessionWire

/// Where a person finds a server's dashboard.
struct DashboardLink {
    /// Such as `http://127.0.0.1:8080`.
    let server: String

    /// The dashboard with a token for it.
    ///
    /// The token stands in the fragment, which no browser sends to a server.
    ///
    /// - Parameter session: What to show at once; `nil` for the list.
    func open(
        _ scopes: Set<APIScope>, applicationID: String, secret: String, session: String? = nil
    ) async throws -> String {
        let tokens = try await APITokens(applicationID: applicationID, applicationSecret: secret)
        let place = session.map { "&session=\($0)" } ?? ""
        // Those who get the link, by any means, must not be able to force anyone out of a call.
        let token = try await tokens.token(scopes, roles: [.subscriber, .publisher]).token
        return "\(server)/#token=\(token)\(place)"
    }

    /// Prints something for the user of the command.
    static func say(_ text: String) {
        FileHandle.standardError.write(Data("sightline: \(text)\n".utf8))
    }
}
