// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What audio fallback does to a video.
package enum FallbackState: String, Sendable, Codable {
    /// Video is sent, if it is wanted.
    case on
    /// Video is sent, but will be switched off unless the network gets better.
    case warned
    /// Video is switched off; audio continues.
    case off
}
