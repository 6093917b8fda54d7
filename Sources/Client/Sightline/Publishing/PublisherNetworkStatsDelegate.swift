// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Statistics of a publisher; the same as in ``PublisherNetworkStatsDelegate``.
///
/// Arrays have one element in a routed session and one per subscriber in a relayed one; they are never empty.
public enum PublisherNetworkStatsEvent: Sendable, Equatable {
    /// The video's figures, once a tick.
    case videoNetworkStatsUpdated([PublisherVideoNetworkStats])
    /// The audio's figures, once a tick.
    case audioNetworkStatsUpdated([PublisherAudioNetworkStats])
    /// The media links, once a tick.
    case mediaLinkStatsUpdated([PublisherMediaLinkStats])
    /// The video's quality changed: `change` says by what, and whether that begins or ends; `stats` are of the connection
    /// it is about.
    case videoQualityChanged(PublisherVideoNetworkStats, VideoQualityChange)
    /// A connection's network condition changed: `change` says from what, to what and why.
    case networkConditionChanged(PublisherMediaLinkStats, NetworkConditionChange)
}

/// Hears a publisher's statistics.
///
/// Calls come one after the other, never two at a time, where <doc:EventsAndOrder> says; a delegate that takes too
/// long loses the oldest. Every method has a default that does nothing.
public protocol PublisherNetworkStatsDelegate: AnyObject {
    /// The video's figures, once a tick; one element per connection, one at least: not called for a stream without video.
    func publisher(_ publisher: Publisher, videoNetworkStatsUpdated stats: [PublisherVideoNetworkStats])
    /// The audio's figures, once a tick; one element per connection, one at least: not called for a stream without audio.
    func publisher(_ publisher: Publisher, audioNetworkStatsUpdated stats: [PublisherAudioNetworkStats])
    /// The media links, once a tick; one element per connection, one at least.
    func publisher(_ publisher: Publisher, mediaLinkStatsUpdated stats: [PublisherMediaLinkStats])
    /// The video's quality changed: `change` says by what, and whether that begins or ends; `stats` are of the connection
    /// it is about.
    func publisher(
        _ publisher: Publisher, videoQualityChanged stats: PublisherVideoNetworkStats,
        change: VideoQualityChange)
    /// A connection's network condition changed: `change` says from what, to what and why.
    func publisher(
        _ publisher: Publisher, networkConditionChanged stats: PublisherMediaLinkStats,
        change: NetworkConditionChange)
}

extension PublisherNetworkStatsDelegate {
    /// Does nothing.
    public func publisher(
        _ publisher: Publisher, videoNetworkStatsUpdated stats: [PublisherVideoNetworkStats]
    ) {}
    /// Does nothing.
    public func publisher(
        _ publisher: Publisher, audioNetworkStatsUpdated stats: [PublisherAudioNetworkStats]
    ) {}
    /// Does nothing.
    public func publisher(_ publisher: Publisher, mediaLinkStatsUpdated stats: [PublisherMediaLinkStats]) {}
    /// Does nothing.
    public func publisher(
        _ publisher: Publisher, videoQualityChanged stats: PublisherVideoNetworkStats,
        change: VideoQualityChange
    ) {}
    /// Does nothing.
    public func publisher(
        _ publisher: Publisher, networkConditionChanged stats: PublisherMediaLinkStats,
        change: NetworkConditionChange
    ) {}
}

extension PublisherNetworkStatsDelegate {
    /// Calls the method that an event belongs to.
    func hear(_ event: PublisherNetworkStatsEvent, from publisher: Publisher) {
        switch event {
        case .videoNetworkStatsUpdated(let stats): self.publisher(publisher, videoNetworkStatsUpdated: stats)
        case .audioNetworkStatsUpdated(let stats): self.publisher(publisher, audioNetworkStatsUpdated: stats)
        case .mediaLinkStatsUpdated(let stats): self.publisher(publisher, mediaLinkStatsUpdated: stats)
        case .videoQualityChanged(let stats, let change):
            self.publisher(publisher, videoQualityChanged: stats, change: change)
        case .networkConditionChanged(let stats, let change):
            self.publisher(publisher, networkConditionChanged: stats, change: change)
        }
    }
}
