// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What an API token opens.
public enum APIScope: String, Sendable, Codable, CaseIterable {
    /// Sessions, their summaries, timelines, samples and alerts; what happens live.
    case read
    /// The names of people and streams, if they are kept, wherever they stand.
    case names
    /// Raw reports: to have them kept, and to read them.
    case reports
    /// To delete participants.
    case delete
    /// The server's metrics.
    case metrics
    /// To make tokens for clients.
    case tokens
    /// To change the emulated networks of a demo.
    case conditions
}

/// Asks for an API token: `POST /v1/api-tokens` with the application's credentials.
public struct CreateAPIToken: Sendable, Equatable, Codable {
    /// What it opens.
    public var scopes: [APIScope]
    /// Seconds from now, 1 to 30 days; a day if `nil`.
    public var expiresIn: Double?

    /// Makes a request.
    public init(scopes: [APIScope], expiresIn: Double? = nil) {
        self.scopes = scopes
        self.expiresIn = expiresIn
    }
}
