// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a subscription is sent the layer that it is sent.
enum LayerReason: String, Sendable {
    /// The wanted layer is sent.
    case wanted
    /// A larger layer does not fit the estimate; also when even the smallest does not.
    case bandwidth
    /// The publisher does not send the wanted layer now, or no video at all.
    case layerAbsent
    /// The layer is chosen, and its next key frame has been asked for.
    case waitingForKeyFrame
    /// The subscriber or the publisher has video switched off.
    case off
}

/// What a subscription asks for.
struct LayerPreference: Equatable, Sendable {
    /// Whether video is wanted at all.
    var isVideoOn = true
    /// The largest layer that is wanted, in pixels of width and height; `nil` for no bound.
    var maximumWidth: Int?
    var maximumHeight: Int?
    /// The name of the largest layer that is wanted; `nil` for no bound. Unknown names are ignored.
    var maximumRID: String?
}

/// Everything a decision depends on.
struct LayerPolicyInput: Equatable, Sendable {
    /// From small to large, as `LayerMeter` gives them.
    var layers: [ObservedLayer]
    var preference: LayerPreference
    /// What congestion control allots to the video, bps; 0 while it has paused it, `nil` before it has said anything.
    var allocated: Double?
    /// The layer whose frames are sent; `nil` for none.
    var sent: LayerID?
}

/// What is to be done, and what is.
struct LayerDecision: Equatable, Sendable {
    /// The layer to send from now on; `nil` for none.
    var target: LayerID?
    /// The old layer is stopped at once, not at the target's key frame.
    var stopsFirst: Bool
    /// The largest layer that the subscription asks for; `nil` when it is off or there is none.
    var wanted: LayerID?
    var reason: LayerReason
}
