// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The video that a subscription wants.
package struct LayerPreference: Sendable, Equatable, Codable {
    /// Whether video is wanted at all.
    package var isVideoOn: Bool
    /// The widest layer that is wanted, pixels; `nil` for no bound.
    package var maximumWidth: Int?
    /// The highest layer that is wanted, pixels; `nil` for no bound.
    package var maximumHeight: Int?
    /// Preferred frame rate, the highest to receive; `nil` for no bound.
    package var maximumFrameRate: Double?

    /// Everything, unless bounded.
    package init(
        isVideoOn: Bool = true, maximumWidth: Int? = nil, maximumHeight: Int? = nil,
        maximumFrameRate: Double? = nil
    ) {
        self.isVideoOn = isVideoOn
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
        self.maximumFrameRate = maximumFrameRate
    }
}
