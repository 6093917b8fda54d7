// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a client can publish here and now.
public enum PreCallVerdict: String, Sendable, Codable, CaseIterable {
    /// Audio and video.
    case audioAndVideo
    /// Audio, but no video.
    case audioOnly
    /// Neither, or it could not be tested; `NetworkTestReport.failure` is the reason.
    case neither
}
