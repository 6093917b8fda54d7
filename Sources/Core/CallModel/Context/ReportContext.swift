// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a raw report was judged with, so that it can be judged again.
package struct ReportContext: Sendable, Equatable, Codable {
    /// What the client calls the peer connection.
    package var leg: LegName
    /// What was wanted of the stream; `nil` if it was inferred from the report, or the report was not judged.
    package var intent: MediaIntent?
    /// What was known from elsewhere; `nil` as above.
    package var remote: RemoteMetrics?

    /// Creates a context.
    package init(leg: LegName, intent: MediaIntent? = nil, remote: RemoteMetrics? = nil) {
        self.leg = leg
        self.intent = intent
        self.remote = remote
    }
}
