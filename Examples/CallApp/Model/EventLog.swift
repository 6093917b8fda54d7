// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Observation
import Sightline

/// What happened in a call, newest first.
@MainActor @Observable
final class EventLog {
    /// Most of them that are kept.
    static let capacity = 100
    private(set) var entries: [LoggedEvent] = []
    @ObservationIgnored private var count = 0

    /// Adds what has just happened.
    func add(_ text: String) {
        count += 1
        entries.insert(LoggedEvent(id: count, text: text), at: 0)
        if entries.count > Self.capacity { entries.removeLast() }
    }

    /// Adds each change of what someone sends, until it is over.
    func follow(_ subscriber: Subscriber, of name: String) {
        let events = subscriber.networkStats()
        Task { [weak self] in
            for await event in events { self?.take(event, of: name) }
        }
    }

    /// Adds each change of the own stream, until it is over.
    func follow(_ publisher: Publisher) {
        let events = publisher.networkStats()
        Task { [weak self] in
            for await event in events { self?.take(event) }
        }
    }

    private func take(_ event: SubscriberNetworkStatsEvent, of name: String) {
        switch event {
        case .networkConditionChanged(_, let change):
            add("\(change.side == .remote ? "\(name)'s uplink" : "Your downlink"): \(change.words)")
        case .videoQualityChanged(_, let change): add("\(name)'s video: \(change.words)")
        default: break
        }
    }

    private func take(_ event: PublisherNetworkStatsEvent) {
        switch event {
        case .networkConditionChanged(_, let change): add("Your uplink: \(change.words)")
        case .videoQualityChanged(_, let change): add("Your video: \(change.words)")
        default: break
        }
    }
}
