// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a video layer is not sent as it was wanted.
///
/// The words are Vonage's; `none`, `cpu`, `bandwidth` and `other` are also W3C's.
public enum QualityLimitationReason: String, Hashable, Codable, Sendable, CaseIterable {
    /// The layer is not limited.
    case none
    /// Limited by the bandwidth.
    case bandwidth
    /// The encoder's device is too slow.
    case cpu
    /// The codec changed in this tick.
    case codec
    /// The encoded size changed in this tick.
    case resolution
    /// The layer began or ceased to be sent in this tick.
    case layerChange
    /// Limited by something that the engine does not name.
    case other
}
