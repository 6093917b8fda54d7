// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// What a subscriber asks for.
public struct SubscriberSettings: Sendable {
    /// Whether audio is wanted from the beginning; ``Subscriber/subscribeToAudio`` changes it.
    public var subscribeToAudio = true
    /// Whether video is wanted from the beginning; ``Subscriber/subscribeToVideo`` changes it.
    public var subscribeToVideo = true
    /// Preferred resolution, the largest to receive, in pixels; `nil` for no bound.
    ///
    /// Works on streams with several layers.
    public var preferredResolution: VideoSize?
    /// Preferred frame rate, the highest to receive; `nil` for no bound.
    ///
    /// See ``Subscriber/preferredFrameRate``.
    public var preferredFrameRate: Double?
    /// A bad network to emulate, from the beginning; needs an engine that can.
    ///
    /// Say a perfect one to be able to change it later by ``Subscriber/setNetworkConditions(_:)``. `nil`
    /// leaves the real network alone.
    public var networkConditions: NetworkConditions?

    /// The defaults: audio and video without bounds.
    public init() {}
}
