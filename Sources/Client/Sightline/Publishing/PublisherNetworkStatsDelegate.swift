// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Statistics of a publisher; the same as in ``PublisherNetworkStatsDelegate``.
///
/// Arrays have one element in a routed session and one per subscriber in a relayed one.
public enum PublisherNetworkStatsEvent: Sendable, Equatable {
    /// The video's figures, once a tick.
    case videoNetworkStatsUpdated([PublisherVideoNetworkStats])
    /// The audio's figures, once a tick.
    case audioNetworkStatsUpdated([PublisherAudioNetworkStats])
    /// The media links, once a tick.
    case mediaLinkStatsUpdated([PublisherMediaLinkStats])
    /// The video's quality changed.
    case videoQualityChanged(PublisherVideoNetworkStats, VideoEventReason)
    /// A connection's network condition changed.
    case networkConditionChanged(PublisherMediaLinkStats, NetworkReason)
}

/// Hears a publisher's statistics.
///
/// Calls come one after the other, never two at a time, from a task of the SDK; a delegate that takes too
/// long loses the oldest. Every method has a default that does nothing.
public protocol PublisherNetworkStatsDelegate: AnyObject, Sendable {
    /// The video's figures, once a tick; one element per connection.
    func publisher(_ publisher: Publisher, videoNetworkStatsUpdated stats: [PublisherVideoNetworkStats])
    /// The audio's figures, once a tick; one element per connection.
    func publisher(_ publisher: Publisher, audioNetworkStatsUpdated stats: [PublisherAudioNetworkStats])
    /// The media links, once a tick; one element per connection.
    func publisher(_ publisher: Publisher, mediaLinkStatsUpdated stats: [PublisherMediaLinkStats])
    /// The video's quality changed.
    func publisher(
        _ publisher: Publisher, videoQualityChanged stats: PublisherVideoNetworkStats,
        reason: VideoEventReason)
    /// A connection's network condition changed.
    func publisher(
        _ publisher: Publisher, networkConditionChanged stats: PublisherMediaLinkStats, reason: NetworkReason)
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
        reason: VideoEventReason
    ) {}
    /// Does nothing.
    public func publisher(
        _ publisher: Publisher, networkConditionChanged stats: PublisherMediaLinkStats, reason: NetworkReason
    ) {}
}

extension PublisherNetworkStatsDelegate {
    /// Calls the method that an event belongs to.
    func hear(_ event: PublisherNetworkStatsEvent, from publisher: Publisher) {
        switch event {
        case .videoNetworkStatsUpdated(let stats): self.publisher(publisher, videoNetworkStatsUpdated: stats)
        case .audioNetworkStatsUpdated(let stats): self.publisher(publisher, audioNetworkStatsUpdated: stats)
        case .mediaLinkStatsUpdated(let stats): self.publisher(publisher, mediaLinkStatsUpdated: stats)
        case .videoQualityChanged(let stats, let reason):
            self.publisher(publisher, videoQualityChanged: stats, reason: reason)
        case .networkConditionChanged(let stats, let reason):
            self.publisher(publisher, networkConditionChanged: stats, reason: reason)
        }
    }
}
