// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension PublisherObservation {
    /// The part of the observation about one connection of a relayed stream.
    ///
    /// Diagnosis and levels stay those of the whole stream, as do events that name no connection.
    public func filtered(to connection: SubscriberConnection) -> PublisherObservation {
        var part = self
        part.video = video.filter { $0.subscriberId == connection.subscriberId }
        part.audio = audio.filter { $0.subscriberId == connection.subscriberId }
        part.mediaLink = mediaLink.filter { $0.subscriberId == connection.subscriberId }
        part.events = events.filter { event in
            switch event {
            case .networkConditionChanged(let change): change.subscriberId == connection.subscriberId
            case .callQuality(let warning):
                warning.connectionId == nil || warning.connectionId == connection.connectionId
            default: true
            }
        }
        return part
    }
}
