// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a subscriber is sent the video layer that it is sent.
public enum LayerReason: String, Hashable, Codable, Sendable, CaseIterable {
    /// The wanted layer is sent.
    case wanted
    /// A larger layer does not fit the estimate; also when even the smallest does not.
    case bandwidth
    /// The publisher does not send the wanted layer now, or no video at all.
    case layerAbsent
    /// The layer is selected, and its next key frame is requested.
    case waitingForKeyFrame
    /// Video is switched off: the subscriber, or the publisher, does not want it.
    case off
    /// Audio fallback switched the video off.
    case fallback
}
