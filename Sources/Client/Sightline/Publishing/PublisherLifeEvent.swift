// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Events of a publisher; the same as in ``PublisherDelegate``.
public enum PublisherLifeEvent: Sendable, Equatable {
    /// The stream is in the session.
    case streamCreated(MediaStream)
    /// The stream is over; the last event.
    case streamDestroyed(MediaStream)
    /// The media connection broke and is being brought back.
    case mediaLost(String)
    /// Media flows again.
    case mediaRestored
    /// Video will be switched off in favour of the audio unless the own uplink improves.
    case videoDisableWarning
    /// The uplink improved in time.
    case videoDisableWarningLifted
    /// Video was switched off.
    case videoDisabled(VideoEventReason)
    /// Video is on again.
    case videoEnabled(VideoEventReason)
    /// Something went wrong that no call can throw.
    case didFailWithError(SightlineError)
}

/// Hears what happens to a publisher.
///
/// Calls come one after the other, never two at a time, where <doc:EventsAndOrder> says. Every method
/// has a default that does nothing.
public protocol PublisherDelegate: AnyObject {
    /// The stream is in the session.
    func publisher(_ publisher: Publisher, streamCreated stream: MediaStream)
    /// The stream is over.
    func publisher(_ publisher: Publisher, streamDestroyed stream: MediaStream)
    /// The media connection broke and is being brought back; `message` says why.
    func publisher(_ publisher: Publisher, mediaLost message: String)
    /// Media flows again.
    func publisherMediaRestored(_ publisher: Publisher)
    /// Video will be switched off in favour of the audio unless the own uplink improves.
    func publisherVideoDisableWarning(_ publisher: Publisher)
    /// The uplink improved in time.
    func publisherVideoDisableWarningLifted(_ publisher: Publisher)
    /// Video was switched off.
    func publisherVideoDisabled(_ publisher: Publisher, reason: VideoEventReason)
    /// Video is on again.
    func publisherVideoEnabled(_ publisher: Publisher, reason: VideoEventReason)
    /// Something went wrong that no call can throw.
    func publisher(_ publisher: Publisher, didFailWithError error: SightlineError)
}

extension PublisherDelegate {
    /// Does nothing.
    public func publisher(_ publisher: Publisher, streamCreated stream: MediaStream) {}
    /// Does nothing.
    public func publisher(_ publisher: Publisher, streamDestroyed stream: MediaStream) {}
    /// Does nothing.
    public func publisher(_ publisher: Publisher, mediaLost message: String) {}
    /// Does nothing.
    public func publisherMediaRestored(_ publisher: Publisher) {}
    /// Does nothing.
    public func publisherVideoDisableWarning(_ publisher: Publisher) {}
    /// Does nothing.
    public func publisherVideoDisableWarningLifted(_ publisher: Publisher) {}
    /// Does nothing.
    public func publisherVideoDisabled(_ publisher: Publisher, reason: VideoEventReason) {}
    /// Does nothing.
    public func publisherVideoEnabled(_ publisher: Publisher, reason: VideoEventReason) {}
    /// Does nothing.
    public func publisher(_ publisher: Publisher, didFailWithError error: SightlineError) {}
}

extension PublisherDelegate {
    /// Calls the method that an event belongs to.
    func hear(_ event: PublisherLifeEvent, from publisher: Publisher) {
        switch event {
        case .streamCreated(let stream): self.publisher(publisher, streamCreated: stream)
        case .streamDestroyed(let stream): self.publisher(publisher, streamDestroyed: stream)
        case .mediaLost(let message): self.publisher(publisher, mediaLost: message)
        case .mediaRestored: publisherMediaRestored(publisher)
        case .videoDisableWarning: publisherVideoDisableWarning(publisher)
        case .videoDisableWarningLifted: publisherVideoDisableWarningLifted(publisher)
        case .videoDisabled(let reason): publisherVideoDisabled(publisher, reason: reason)
        case .videoEnabled(let reason): publisherVideoEnabled(publisher, reason: reason)
        case .didFailWithError(let error): self.publisher(publisher, didFailWithError: error)
        }
    }
}
