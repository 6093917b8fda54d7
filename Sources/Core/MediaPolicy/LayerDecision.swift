// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Everything a decision depends on.
package struct LayerPolicyInput: Equatable, Sendable {
    /// From small to large, as `LayerMeter` gives them.
    package var layers: [ObservedLayer]
    package var preference: LayerPreference
    /// What congestion control allots to the video, bps; 0 while it has paused it, `nil` before it has said
    /// anything.
    package var allocated: Double?
    /// Estimated capacity of the leg, bps; `nil` before congestion control has begun.
    package var estimated: Double?
    /// The layer whose frames are sent; `nil` for none.
    package var sent: LayerID?

    package init(
        layers: [ObservedLayer], preference: LayerPreference, allocated: Double?, estimated: Double? = nil,
        sent: LayerID? = nil
    ) {
        self.layers = layers
        self.preference = preference
        self.allocated = allocated
        self.estimated = estimated
        self.sent = sent
    }
}

/// Pending action and current state.
package struct LayerDecision: Equatable, Sendable {
    /// The layer to send from now on; `nil` for none.
    package var target: LayerID?
    /// The old layer is stopped at once, not at the target's key frame.
    package var stopsFirst: Bool
    /// The largest layer that the subscription wants; `nil` when it is off or there is none.
    package var wanted: LayerID?
    package var reason: LayerReason
    /// The rate to probe the leg at, bps; `nil` for no probe.
    package var probe: Double?
    /// Temporal layers above this one are omitted; `nil` for none.
    package var highestTemporalLayer: Int?
    /// State of audio fallback.
    package var fallback = FallbackState.on
}
