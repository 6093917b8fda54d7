// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

// Relayed and adaptive sessions.
//
// There a publication and a subscription are made without an offer: the leg that `publish` and `subscribe`
// name is not a peer connection but the handle of what may have several, one after the other or side by side.
// The server says with `routes` which ends a publication is to be connected to. To the media router it
// connects with `replace`, as a subscription does; to a subscriber with `relay`. Between two clients the
// publisher always makes the offer, so that offers never cross.

extension ClientMessage {
    /// Connects a stream to one of its subscribers, without the media router.
    ///
    /// Only after a ``ServerMessage/Routes`` that names the subscriber. Answered by `answered` as soon as the
    /// subscriber has answered; later offers on the leg and its replacement go by `offer` and `replace`.
    package struct Relay: Sendable, Equatable, Codable {
        /// The client's name for the peer connection.
        package var leg: LegName
        /// The handle of the publication.
        package var publication: LegName
        /// The subscriber.
        package var subscriberId: String
        /// The SDP offer.
        package var offer: String

        /// Creates a request.
        package init(leg: LegName, publication: LegName, subscriberId: String, offer: String) {
            self.leg = leg
            self.publication = publication
            self.subscriberId = subscriberId
            self.offer = offer
        }
    }

    /// Answers a publisher's offer.
    package struct Answer: Sendable, Equatable, Codable {
        /// The leg of ``ServerMessage/Offered``.
        package var leg: LegName
        /// The SDP answer; `nil` if there is none because the offer cannot be used.
        package var answer: String?
        /// Why there is no answer, for people; `nil` with an answer.
        package var message: String?

        /// Creates an answer.
        package init(leg: LegName, answer: String?, message: String? = nil) {
            self.leg = leg
            self.answer = answer
            self.message = message
        }
    }

    /// Gives up a subscriber of an own stream: no path to it was found.
    package struct GiveUp: Sendable, Equatable, Codable {
        /// The handle of the publication.
        package var publication: LegName
        /// The subscriber.
        package var subscriberId: String
        /// Why, for people.
        package var message: String

        /// Creates a message.
        package init(publication: LegName, subscriberId: String, message: String) {
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
    package struct Routes: Sendable, Equatable, Codable {
        /// The handle of the publication or subscription.
        package var leg: LegName
        /// Whether it is to be connected to the media router.
        package var router: Bool
        /// The subscribers that a publication is to be connected to directly.
        package var subscribers: [DirectSubscriber]

        /// Creates an event.
        package init(leg: LegName, router: Bool, subscribers: [DirectSubscriber] = []) {
            self.leg = leg
            self.router = router
            self.subscribers = subscribers
        }
    }

    /// A subscriber that gets a stream from its publisher directly.
    package struct DirectSubscriber: Sendable, Equatable, Codable {
        /// The subscriber.
        package var subscriberId: String
        /// The subscriber's connection to the session.
        package var connectionId: String
        /// Whether it wants video.
        package var subscribesToVideo: Bool
        /// Counts the times that it was taken up again: what was made for an earlier one is of no use any
        /// more.
        package var turn: Int

        /// Names a subscriber.
        package init(
            subscriberId: String, connectionId: String, subscribesToVideo: Bool = true, turn: Int = 0
        ) {
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
    package struct Offered: Sendable, Equatable, Codable {
        /// The leg.
        package var leg: LegName
        /// The handle of the subscription that it serves.
        package var subscription: LegName
        /// The SDP offer.
        package var offer: String

        /// Creates an event.
        package init(leg: LegName, subscription: LegName, offer: String) {
            self.leg = leg
            self.subscription = subscription
            self.offer = offer
        }
    }

    /// The subscription is made.
    package struct Subscribed: Sendable, Equatable, Codable {
        /// The leg.
        package var leg: LegName
        /// The SDP answer; `nil` in a session that may be relayed.
        package var answer: String?
        /// The server's name for the subscriber, by which a relayed publisher's statistics know it.
        package var subscriberId: String?

        /// Creates an answer.
        package init(leg: LegName, answer: String?, subscriberId: String? = nil) {
            self.leg = leg
            self.answer = answer
            self.subscriberId = subscriberId
        }
    }
}
