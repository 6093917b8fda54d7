// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Relayed and adaptive sessions.
//
// There a publication and a subscription are made without an offer: the leg that `publish` and `subscribe` name is
// not a peer connection but the handle of what may have several, one after the other or side by side. The server says
// with `routes` which ends a publication is to be connected to. To the media router it connects with `replace`, as a
// subscription does; to a subscriber with `relay`. Between two clients the publisher always makes the offer, so that
// offers never cross.

extension ClientMessage {
    /// Connects a stream to one of its subscribers, without the media router.
    ///
    /// Only after a ``ServerMessage/Routes`` that names the subscriber. Answered by `answered` as soon as the
    /// subscriber has answered; later offers on the leg and its replacement go by `offer` and `replace`.
    public struct Relay: Sendable, Equatable, Codable {
        /// The client's name for the peer connection.
        public var leg: String
        /// The handle of the publication.
        public var publication: String
        /// The subscriber.
        public var subscriberId: String
        /// The SDP offer.
        public var offer: String

        /// Makes a request.
        public init(leg: String, publication: String, subscriberId: String, offer: String) {
            self.leg = leg
            self.publication = publication
            self.subscriberId = subscriberId
            self.offer = offer
        }
    }

    /// Answers a publisher's offer.
    public struct Answer: Sendable, Equatable, Codable {
        /// The leg of ``ServerMessage/Offered``.
        public var leg: String
        /// The SDP answer; `nil` if there is none because the offer cannot be used.
        public var answer: String?
        /// Why there is no answer, for people; `nil` with an answer.
        public var message: String?

        /// Makes an answer.
        public init(leg: String, answer: String?, message: String? = nil) {
            self.leg = leg
            self.answer = answer
            self.message = message
        }
    }

    /// Gives a subscriber of an own stream up: no way to it was found.
    public struct GiveUp: Sendable, Equatable, Codable {
        /// The handle of the publication.
        public var publication: String
        /// The subscriber.
        public var subscriberId: String
        /// Why, for people.
        public var message: String

        /// Makes a message.
        public init(publication: String, subscriberId: String, message: String) {
            self.publication = publication
            self.subscriberId = subscriberId
            self.message = message
        }
    }
}

extension ServerMessage {
    /// Which ends a publication or subscription is to be connected to; those that are not named are to go.
    ///
    /// It replaces what was said before. Of a subscription only ``router`` counts: publishers come to it by
    /// themselves, and what it has goes when something else delivers media.
    public struct Routes: Sendable, Equatable, Codable {
        /// The handle of the publication or subscription.
        public var leg: String
        /// Whether it is to be connected to the media router.
        public var router: Bool
        /// The subscribers that a publication is to be connected to directly.
        public var subscribers: [DirectSubscriber]

        /// Makes an event.
        public init(leg: String, router: Bool, subscribers: [DirectSubscriber] = []) {
            self.leg = leg
            self.router = router
            self.subscribers = subscribers
        }
    }

    /// A subscriber that gets a stream from its publisher directly.
    public struct DirectSubscriber: Sendable, Equatable, Codable {
        /// The subscriber.
        public var subscriberId: String
        /// The subscriber's connection to the session.
        public var connectionId: String
        /// Whether it wants video.
        public var subscribesToVideo: Bool
        /// Counts the times that it was taken up again: what was made for an earlier one is of no use any more.
        public var turn: Int

        /// Names a subscriber.
        public init(subscriberId: String, connectionId: String, subscribesToVideo: Bool = true, turn: Int = 0)
        {
            self.subscriberId = subscriberId
            self.connectionId = connectionId
            self.subscribesToVideo = subscribesToVideo
            self.turn = turn
        }
    }

    /// A publisher offers to connect directly.
    ///
    /// The client answers with `answer`. The server chooses the names of such legs: a new name is a new peer
    /// connection, a known one a new offer on it.
    public struct Offered: Sendable, Equatable, Codable {
        /// The leg.
        public var leg: String
        /// The handle of the subscription that it serves.
        public var subscription: String
        /// The SDP offer.
        public var offer: String

        /// Makes an event.
        public init(leg: String, subscription: String, offer: String) {
            self.leg = leg
            self.subscription = subscription
            self.offer = offer
        }
    }

    /// The subscription is made.
    public struct Subscribed: Sendable, Equatable, Codable {
        /// The leg.
        public var leg: String
        /// The SDP answer; `nil` in a session that may be relayed.
        public var answer: String?
        /// The server's name for the subscriber, by which a relayed publisher's statistics know it.
        public var subscriberId: String?

        /// Makes an answer.
        public init(leg: String, answer: String?, subscriberId: String? = nil) {
            self.leg = leg
            self.answer = answer
            self.subscriberId = subscriberId
        }
    }
}
