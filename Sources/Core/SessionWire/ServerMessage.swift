// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy

/// A message of the server.
package struct ServerMessage: Sendable, Equatable {
    /// The client's message that this answers; `nil` for events.
    package var re: Int?
    /// Its place among the server's messages to this client, from 1; `nil` where ``isNumbered`` is false, and
    /// to clients that are not resumable.
    package var seq: Int?
    /// The number of the client's last message that has arrived, on a numbered message in place of an ``Body/ack(_:)``; `nil`
    /// says nothing of it.
    package var received: Int?
    /// The answer or event.
    package var body: Body

    /// Creates a message.
    package init(re: Int? = nil, seq: Int? = nil, received: Int? = nil, _ body: Body) {
        self.re = re
        self.seq = seq
        self.received = received
        self.body = body
    }

    /// Answer or event of a server.
    package enum Body: Sendable, Equatable {
        /// The client is in the session.
        case joined(Joined)
        /// The client is in the session again, on this socket; with what the server has got of its messages.
        /// Missed messages follow.
        case resumed(Acknowledgement)
        /// The client's messages have arrived.
        case ack(Acknowledgement)
        /// The stream is published.
        case published(Published)
        /// The subscription is made.
        case subscribed(Subscribed)
        /// The offer is answered.
        case answered(Answered)
        /// The request is carried out.
        case done
        /// Telemetry has arrived.
        case acknowledged(Acknowledged)
        /// The request is refused, or, without `re`, something went wrong that no one asked for.
        case error(ServerError)
        /// Someone joined.
        case connectionCreated(ConnectionDescription)
        /// Someone left.
        case connectionDestroyed(Destroyed)
        /// Someone publishes.
        case streamCreated(StreamDescription)
        /// A stream has changed.
        case streamUpdated(StreamDescription)
        /// A stream is over; subscriptions to it are over with it.
        case streamDestroyed(Destroyed)
        /// A trickled candidate of the other end.
        case candidate(LegCandidate)
        /// Which ends a publication or subscription is to be connected to.
        case routes(Routes)
        /// A publisher offers to connect directly.
        case offered(Offered)
        /// A subscription is over although its stream is not; `id` is its handle.
        case subscriptionEnded(Destroyed)
        /// The other end of these legs is gone; the client brings each back with `replace`.
        case mediaLost(MediaLost)
        /// The path of these legs is lost as the server sees it, and the client may not have noticed; it
        /// brings each back with `offer`, an ICE restart.
        case restartICE(Legs)
        /// The server's metrics of a leg.
        indirect case facts(LegMetrics)
        /// What the server judges of a leg whose client sends raw reports.
        indirect case judged(LegJudgement)
        /// Audio fallback on a subscription moved on.
        case fallback(Fallback)
        /// Participants' network quality, for those who requested it.
        case networkQuality(NetworkQualityUpdate)
        /// What a page's network test is to do, or has found out.
        indirect case networkTest(NetworkTest)
        /// The server is about to close the socket.
        case goodbye(Goodbye)
    }

    /// The client is in the session.
    package struct Joined: Sendable, Equatable, Codable {
        /// The session.
        package var session: String
        /// Which way media takes.
        package var mediaMode: MediaMode
        /// The token's role.
        package var role: TokenRole
        /// The client itself.
        package var connection: ConnectionDescription
        /// The others.
        package var connections: [ConnectionDescription]
        /// Everyone's streams.
        package var streams: [StreamDescription]
        /// STUN and TURN servers to use.
        package var iceServers: [ICEServer]
        /// How to come back on another socket; `nil` unless the client is resumable.
        package var resumption: Resumption?

        /// Creates an answer.
        package init(
            session: String, mediaMode: MediaMode, role: TokenRole, connection: ConnectionDescription,
            connections: [ConnectionDescription], streams: [StreamDescription],
            iceServers: [ICEServer], resumption: Resumption? = nil
        ) {
            self.session = session
            self.mediaMode = mediaMode
            self.role = role
            self.connection = connection
            self.connections = connections
            self.streams = streams
            self.iceServers = iceServers
            self.resumption = resumption
        }
    }

    /// The stream is published.
    package struct Published: Sendable, Equatable, Codable {
        /// The leg.
        package var leg: LegName
        /// The stream.
        package var stream: StreamDescription
        /// The SDP answer; `nil` in a session that may be relayed.
        package var answer: String?
        /// Restores the stream, with its id, on a restarted server; `nil` unless the client
        /// is resumable.
        package var restore: String?

        /// Creates an answer.
        package init(leg: LegName, stream: StreamDescription, answer: String?, restore: String? = nil) {
            self.leg = leg
            self.stream = stream
            self.answer = answer
            self.restore = restore
        }
    }

    /// An offer is answered.
    package struct Answered: Sendable, Equatable, Codable {
        /// The leg.
        package var leg: LegName
        /// The SDP answer.
        package var answer: String

        /// Creates an answer.
        package init(leg: LegName, answer: String) {
            self.leg = leg
            self.answer = answer
        }
    }

    /// Telemetry has arrived.
    package struct Acknowledged: Sendable, Equatable, Codable {
        /// The events, also those that had arrived before.
        package var eventIds: [String]
        /// When, Unix ms by the server's clock.
        package var receivedAt: Double

        /// Creates an answer.
        package init(eventIds: [String], receivedAt: Double) {
            self.eventIds = eventIds
            self.receivedAt = receivedAt
        }
    }

    /// A connection or stream is over.
    package struct Destroyed: Sendable, Equatable, Codable {
        /// The connection or stream.
        package var id: String
        /// Why: the name of an ``EndReason``, of which a newer peer may know more.
        package var reason: String

        /// Creates an event.
        package init(id: String, reason: String) {
            self.id = id
            self.reason = reason
        }

        /// Creates an event.
        package init(id: String, reason: EndReason) { self.init(id: id, reason: reason.name) }
    }

    /// The other end of legs is gone, because the media router was lost or gave them up.
    ///
    /// The streams stay, and so do the subscriptions to them. The client brings each leg back with `replace`:
    /// a new peer connection, a new leg name. The server holds a `replace` back, 15 seconds at most, until
    /// the router runs again and, for a subscription, until the stream's publisher has come back. So one
    /// `replace` for each leg, sent at once and in any order, is enough. If the time is over, or the router
    /// is lost again meanwhile, the answer is an error with the code `routerUnavailable`: try again after a
    /// second, under another new name. Until then the lost leg's name stands for the stream or subscription
    /// in `replace`, `prefer`, `update`, `unpublish` and `unsubscribe`. `publish`, and `offer` on a lost leg,
    /// are refused with `routerUnavailable` while the router is away; so is `subscribe`, but once the router
    /// runs it waits for the stream's publisher just as `replace` does.
    package struct MediaLost: Sendable, Equatable, Codable {
        /// The legs.
        package var legs: [LegName]
        /// One sentence for people.
        package var message: String

        /// Creates an event.
        package init(legs: [LegName], message: String) {
            self.legs = legs
            self.message = message
        }
    }

    /// Audio fallback on a subscription moved on: the router makes video give way to audio while the network
    /// does not carry both.
    package struct Fallback: Sendable, Equatable, Codable {
        /// The leg.
        package var leg: LegName
        /// The new state of its video.
        package var state: FallbackState

        /// Creates an event.
        package init(leg: LegName, state: FallbackState) {
            self.leg = leg
            self.state = state
        }
    }

    /// Names legs.
    package struct Legs: Sendable, Equatable, Codable {
        /// The legs.
        package var legs: [LegName]

        /// Names legs.
        package init(legs: [LegName]) { self.legs = legs }
    }

    /// The server is about to close the socket.
    ///
    /// It is final: the client does not come back.
    package struct Goodbye: Sendable, Equatable, Codable {
        /// Why: the name of an ``EndReason``, of which a newer peer may know more.
        package var reason: String

        /// Creates an event.
        package init(reason: String) { self.reason = reason }

        /// Creates an event.
        package init(reason: EndReason) { self.reason = reason.name }
    }
}

/// Why a request was refused.
package struct ServerError: Error, Sendable, Equatable, Codable {
    /// Kind of refusal.
    ///
    /// Open: newer servers may have more.
    package struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The name of the kind.
        package let rawValue: String
        /// Names a kind.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The message could not be read.
        package static let malformed = Code(rawValue: "malformed")
        /// The message is longer than ``SessionProtocol/messageLimit``.
        package static let tooLarge = Code(rawValue: "tooLarge")
        /// The server does not speak the client's protocol version.
        package static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
        /// The token is not one of ours, or not in order.
        package static let invalidToken = Code(rawValue: "invalidToken")
        /// The token has expired.
        package static let expiredToken = Code(rawValue: "expiredToken")
        /// There is no such session.
        package static let unknownSession = Code(rawValue: "unknownSession")
        /// The role does not allow it.
        package static let forbidden = Code(rawValue: "forbidden")
        /// `join` comes first, and once.
        package static let notJoined = Code(rawValue: "notJoined")
        /// The server does not know the client that wants to continue: it was started over.
        ///
        /// Joining again helps.
        package static let unknownResumption = Code(rawValue: "unknownResumption")
        /// The client that wants to continue is out of the session: it came too late, or too much was lost.
        package static let resumptionOver = Code(rawValue: "resumptionOver")
        /// The id or name has been used before.
        package static let duplicateId = Code(rawValue: "duplicateId")
        /// Telemetry builds on some that the server does not have.
        ///
        /// Sending the next whole helps.
        package static let lostBase = Code(rawValue: "lostBase")
        /// There is no such leg.
        package static let unknownLeg = Code(rawValue: "unknownLeg")
        /// There is no such stream.
        package static let unknownStream = Code(rawValue: "unknownStream")
        /// There is no such connection.
        package static let unknownConnection = Code(rawValue: "unknownConnection")
        /// The SDP or codec is not one that the router passes on.
        package static let unsupportedMedia = Code(rawValue: "unsupportedMedia")
        /// A limit is reached.
        package static let tooMany = Code(rawValue: "tooMany")
        /// The client at the other end does not answer.
        package static let peerUnavailable = Code(rawValue: "peerUnavailable")
        /// The session is at another server of the cluster, whose address ``ServerError/url`` has.
        package static let elsewhere = Code(rawValue: "elsewhere")
        /// The media router is not there at the moment.
        package static let routerUnavailable = Code(rawValue: "routerUnavailable")
        /// The server failed for a reason of its own.
        package static let `internal` = Code(rawValue: "internal")
    }

    /// Kind of refusal.
    package var code: Code
    /// What is wrong and what to do, for people.
    package var message: String
    /// Where the session is, `http://` or `https://`; `nil` unless the code is `elsewhere`.
    package var url: String?

    /// Creates an error.
    package init(_ code: Code, _ message: String, url: String? = nil) {
        self.code = code
        self.message = message
        self.url = url
    }
}
