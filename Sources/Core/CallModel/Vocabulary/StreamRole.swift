// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which end of a stream is observed.
public enum StreamRole: String, Hashable, Codable, Sendable, CaseIterable {
    /// Sends the stream.
    case publisher
    /// Receives the stream.
    case subscriber
}
