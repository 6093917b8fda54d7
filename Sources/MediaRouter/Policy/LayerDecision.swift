// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import FallbackRules
import RouterProtocol

/// Everything a decision depends on.
struct LayerPolicyInput: Equatable, Sendable {
    /// From small to large, as `LayerMeter` gives them.
    var layers: [ObservedLayer]
    var preference: LayerPreference
    /// What congestion control allots to the video, bps; 0 while it has paused it, `nil` before it has said anything.
    var allocated: Double?
    /// What the leg is believed to carry in all, bps; `nil` before congestion control has begun.
    var estimated: Double?
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
    var reason: PolicyState.Reason
    /// The rate to probe the leg at, bps; `nil` for no probe.
    var probe: Double?
    /// What is above this temporal layer is left out; `nil` for nothing.
    var highestTemporalLayer: Int?
    /// What audio fallback does.
    var fallback = FallbackState.on
}
