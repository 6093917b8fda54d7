// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension PublisherObservation {
    /// The part of the observation about one connection of a relayed stream.
    ///
    /// Diagnosis and levels stay those of the whole stream, as do events that name no connection.
    public func filtered(to connection: SubscriberConnection) -> PublisherObservation {
        var part = self
        part.legs = legs.filter { $0.subscriberId == connection.subscriberId }
        part.events = events.filter { event in
            switch event {
            case .networkConditionChanged(let change): change.subscriberId == connection.subscriberId
            case .callQuality(let warning):
                warning.connectionId == nil || warning.connectionId == connection.connectionId
            case .videoQualityChanged(let change):
                change.subscriberId == nil || change.subscriberId == connection.subscriberId
            }
        }
        return part
    }

    /// The media link that a change is about; `nil` if the observation has none of that connection.
    package func link(of change: NetworkConditionChange) -> PublisherMediaLinkStats? {
        leg(change.connectionId, change.subscriberId).map { PublisherMediaLinkStats($0) }
    }

    /// The video that a change is about; `nil` if the observation has none of that connection.
    package func video(of change: VideoQualityChange) -> PublisherVideoNetworkStats? {
        leg(change.connectionId, change.subscriberId).flatMap { PublisherVideoNetworkStats($0) }
    }

    private func leg(_ connectionId: String?, _ subscriberId: String?) -> PublishedLeg? {
        legs.first { $0.connectionId == connectionId && $0.subscriberId == subscriberId }
    }
}
