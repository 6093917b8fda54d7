// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Events of a subscriber; the same as in ``SubscriberDelegate``.
public enum SubscriberLifeEvent: Sendable, Equatable {
    /// Media has begun to arrive: the first frame is decoded, or the first audio of a stream without video
    /// is here.
    case didConnectToStream
    /// The media connection broke; it may come back.
    case didDisconnectFromStream
    /// The media connection came back.
    case didReconnectToStream
    /// Video will be switched off to save the audio unless the network gets better; routed sessions only.
    case videoDisableWarning
    /// The network got better in time.
    case videoDisableWarningLifted
    /// Video was switched off.
    case videoDisabled(VideoEventReason)
    /// Video is on again.
    case videoEnabled(VideoEventReason)
    /// Something went wrong that no call can throw.
    case didFailWithError(SightlineError)
    /// The subscription is over, and why; the last event.
    case didEnd(SubscriptionEnd)
}

/// Why a subscription is over.
public enum SubscriptionEnd: String, Sendable, Hashable, CaseIterable {
    /// The app unsubscribed.
    case unsubscribed
    /// The stream is over.
    case streamDestroyed
    /// No way to the stream was found any more; ``SubscriberLifeEvent/didFailWithError(_:)`` came before.
    case mediaLost
    /// The session is over.
    case sessionDisconnected
}

/// Hears what happens to a subscriber.
///
/// Calls come one after the other, never two at a time, where <doc:EventsAndOrder> says. Every method
/// has a default that does nothing.
public protocol SubscriberDelegate: AnyObject {
    /// Media has begun to arrive.
    func subscriberDidConnectToStream(_ subscriber: Subscriber)
    /// The media connection broke; it may come back.
    func subscriberDidDisconnectFromStream(_ subscriber: Subscriber)
    /// The media connection came back.
    func subscriberDidReconnectToStream(_ subscriber: Subscriber)
    /// Video will be switched off to save the audio unless the network gets better; routed sessions only.
    func subscriberVideoDisableWarning(_ subscriber: Subscriber)
    /// The network got better in time.
    func subscriberVideoDisableWarningLifted(_ subscriber: Subscriber)
    /// Video was switched off.
    func subscriberVideoDisabled(_ subscriber: Subscriber, reason: VideoEventReason)
    /// Video is on again.
    func subscriberVideoEnabled(_ subscriber: Subscriber, reason: VideoEventReason)
    /// Something went wrong that no call can throw.
    func subscriber(_ subscriber: Subscriber, didFailWithError error: SightlineError)
    /// The subscription is over: take its view away. The last call.
    func subscriber(_ subscriber: Subscriber, didEnd end: SubscriptionEnd)
}

extension SubscriberDelegate {
    /// Does nothing.
    public func subscriberDidConnectToStream(_ subscriber: Subscriber) {}
    /// Does nothing.
    public func subscriberDidDisconnectFromStream(_ subscriber: Subscriber) {}
    /// Does nothing.
    public func subscriberDidReconnectToStream(_ subscriber: Subscriber) {}
    /// Does nothing.
    public func subscriberVideoDisableWarning(_ subscriber: Subscriber) {}
    /// Does nothing.
    public func subscriberVideoDisableWarningLifted(_ subscriber: Subscriber) {}
    /// Does nothing.
    public func subscriberVideoDisabled(_ subscriber: Subscriber, reason: VideoEventReason) {}
    /// Does nothing.
    public func subscriberVideoEnabled(_ subscriber: Subscriber, reason: VideoEventReason) {}
    /// Does nothing.
    public func subscriber(_ subscriber: Subscriber, didFailWithError error: SightlineError) {}
    /// Does nothing.
    public func subscriber(_ subscriber: Subscriber, didEnd end: SubscriptionEnd) {}
}

extension SubscriberDelegate {
    /// Calls the method that an event belongs to.
    func hear(_ event: SubscriberLifeEvent, from subscriber: Subscriber) {
        switch event {
        case .didConnectToStream: subscriberDidConnectToStream(subscriber)
        case .didDisconnectFromStream: subscriberDidDisconnectFromStream(subscriber)
        case .didReconnectToStream: subscriberDidReconnectToStream(subscriber)
        case .videoDisableWarning: subscriberVideoDisableWarning(subscriber)
        case .videoDisableWarningLifted: subscriberVideoDisableWarningLifted(subscriber)
        case .videoDisabled(let reason): subscriberVideoDisabled(subscriber, reason: reason)
        case .videoEnabled(let reason): subscriberVideoEnabled(subscriber, reason: reason)
        case .didFailWithError(let error): self.subscriber(subscriber, didFailWithError: error)
        case .didEnd(let end): self.subscriber(subscriber, didEnd: end)
        }
    }
}
