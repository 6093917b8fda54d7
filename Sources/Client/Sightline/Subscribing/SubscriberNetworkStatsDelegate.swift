// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Statistics of a subscriber; the same as in ``SubscriberNetworkStatsDelegate``.
public enum SubscriberNetworkStatsEvent: Sendable, Equatable {
    /// The video's figures, once a tick.
    case videoNetworkStatsUpdated(SubscriberVideoNetworkStats)
    /// The audio's figures, once a tick.
    case audioNetworkStatsUpdated(SubscriberAudioNetworkStats)
    /// The media link, once a tick.
    case mediaLinkStatsUpdated(SubscriberMediaLinkStats)
    /// The video's quality changed: `change` says by what, and whether that begins or ends.
    case videoQualityChanged(SubscriberVideoNetworkStats, VideoQualityChange)
    /// The network condition changed, at this end or the publisher's: `change` says whose, from what, to what and why.
    case networkConditionChanged(SubscriberMediaLinkStats, NetworkConditionChange)
}

/// Hears a subscriber's statistics.
///
/// Calls come one after the other, never two at a time, where <doc:EventsAndOrder> says; a delegate that takes too
/// long loses the oldest. Every method has a default that does nothing.
public protocol SubscriberNetworkStatsDelegate: AnyObject {
    /// The video's figures, once a tick.
    func subscriber(_ subscriber: Subscriber, videoNetworkStatsUpdated stats: SubscriberVideoNetworkStats)
    /// The audio's figures, once a tick.
    func subscriber(_ subscriber: Subscriber, audioNetworkStatsUpdated stats: SubscriberAudioNetworkStats)
    /// The media link, once a tick.
    func subscriber(_ subscriber: Subscriber, mediaLinkStatsUpdated stats: SubscriberMediaLinkStats)
    /// The video's quality changed: `change` says by what, and whether that begins or ends.
    func subscriber(
        _ subscriber: Subscriber, videoQualityChanged stats: SubscriberVideoNetworkStats,
        change: VideoQualityChange)
    /// The network condition changed, at this end or the publisher's: `change` says whose, from what, to what and why.
    func subscriber(
        _ subscriber: Subscriber, networkConditionChanged stats: SubscriberMediaLinkStats,
        change: NetworkConditionChange)
}

extension SubscriberNetworkStatsDelegate {
    /// Does nothing.
    public func subscriber(
        _ subscriber: Subscriber, videoNetworkStatsUpdated stats: SubscriberVideoNetworkStats
    ) {}
    /// Does nothing.
    public func subscriber(
        _ subscriber: Subscriber, audioNetworkStatsUpdated stats: SubscriberAudioNetworkStats
    ) {}
    /// Does nothing.
    public func subscriber(_ subscriber: Subscriber, mediaLinkStatsUpdated stats: SubscriberMediaLinkStats) {}
    /// Does nothing.
    public func subscriber(
        _ subscriber: Subscriber, videoQualityChanged stats: SubscriberVideoNetworkStats,
        change: VideoQualityChange
    ) {}
    /// Does nothing.
    public func subscriber(
        _ subscriber: Subscriber, networkConditionChanged stats: SubscriberMediaLinkStats,
        change: NetworkConditionChange
    ) {}
}

extension SubscriberNetworkStatsDelegate {
    /// Calls the method that an event belongs to.
    func hear(_ event: SubscriberNetworkStatsEvent, from subscriber: Subscriber) {
        switch event {
        case .videoNetworkStatsUpdated(let stats):
            self.subscriber(subscriber, videoNetworkStatsUpdated: stats)
        case .audioNetworkStatsUpdated(let stats):
            self.subscriber(subscriber, audioNetworkStatsUpdated: stats)
        case .mediaLinkStatsUpdated(let stats): self.subscriber(subscriber, mediaLinkStatsUpdated: stats)
        case .videoQualityChanged(let stats, let change):
            self.subscriber(subscriber, videoQualityChanged: stats, change: change)
        case .networkConditionChanged(let stats, let change):
            self.subscriber(subscriber, networkConditionChanged: stats, change: change)
        }
    }
}
