// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// State of a video under audio fallback.
package enum FallbackState: String, Sendable, Codable {
    /// Video is sent, if it is wanted.
    case on
    /// Video is sent, but will be switched off unless the network gets better.
    case warned
    /// Video is switched off; audio continues.
    case off
}
