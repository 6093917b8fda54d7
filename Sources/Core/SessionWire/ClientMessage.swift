// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import WebRTCStats

/// A message of a client.
package struct ClientMessage: Sendable, Equatable {
    /// Chosen by the client, 1 or more, used once; 0 in `ack`, which nothing answers.
    package var id: Int
    /// Its place among the client's messages, from 1; `nil` where ``isNumbered`` is false, and from clients
    /// that are not resumable.
    package var seq: Int?
    /// The number of the server's last message that has arrived, on a numbered message in place of an ``Body/ack(_:)``; `nil`
    /// says nothing of it.
    package var received: Int?
    /// Request or report of the client.
    package var body: Body

    /// Creates a message.
    package init(id: Int, seq: Int? = nil, received: Int? = nil, _ body: Body) {
        self.id = id
        self.seq = seq
        self.received = received
        self.body = body
    }

    /// Request or report of a client.
    ///
    /// A leg is one peer connection of the client; the client names it, each name once.
    package enum Body: Sendable, Equatable {
        /// Enters the session of the token; the first message. Answered by `joined`.
        case join(Join)
        /// Continues with a session that was joined on another socket. Answered by `resumed`.
        case resume(Resume)
        /// The server's messages have arrived. Not answered.
        case ack(Acknowledgement)
        /// Publishes a stream. Answered by `published`.
        case publish(Publish)
        /// Subscribes to a stream. Answered by `subscribed`.
        case subscribe(Subscribe)
        /// A new offer on an existing leg, such as an ICE restart. Answered by `answered`.
        case offer(Offer)
        /// A new peer connection in place of an old one, whose media continues meanwhile. Answered by
        /// `answered`.
        case replace(Replace)
        /// A trickled candidate. Answered only by an error.
        case candidate(LegCandidate)
        /// Changes the preferences of a subscription. Answered by `done`.
        case prefer(Prefer)
        /// Changes what a stream is said to be. Answered by `done`.
        case update(UpdateStream)
        /// Saturates the path to a subscription that tests it. Answered by `done`.
        case saturate(Saturate)
        /// A page's network test continues. Answered by `networkTest`.
        case networkTest(NetworkTest)
        /// Ends a subscription. Answered by `done`.
        case unsubscribe(Leg)
        /// Ends a stream. Answered by `done`.
        case unpublish(Leg)
        /// The client's telemetry. Answered by `acknowledged`.
        case telemetry(Telemetry)
        /// Connects a stream to one of its subscribers directly. Answered by `answered`.
        case relay(Relay)
        /// Answers a publisher's offer. Answered by `done`.
        case answer(Answer)
        /// Media arrives by this leg of a subscription; the older ones may go. Answered only by an error.
        case settled(Leg)
        /// A leg that the publisher offered has no path any more. Answered only by an error.
        case legLost(Leg)
        /// No way to a subscriber of an own stream was found. Answered only by an error.
        case giveUp(GiveUp)
        /// Subscribes to participants' network quality. Answered by `done`.
        case networkQuality(AskNetworkQuality)
        /// Ends someone's stream; moderators only. Answered by `done`.
        case forceUnpublish(StreamName)
        /// Forces a client to leave the session; moderators only. Answered by `done`.
        case forceDisconnect(ConnectionName)
        /// What the participant says of the call; the last one counts. Answered by `done`.
        case rate(CallRating)
        /// Leaves the session. Answered by `done`; the server closes the socket.
        case leave
    }

    /// Enters a session.
    package struct Join: Sendable, Equatable, Codable {
        /// The ``SessionProtocol/version`` that the client speaks.
        package var version: Int
        /// The JWT that names session and role.
        package var token: String
        /// The client's name and version, such as `sightline-cli 0.1.0 (Linux)`; for logs and support.
        package var client: String?
        /// Whether the client wants to be able to come back on another socket; see ``Resumption``.
        ///
        /// No if `nil`.
        package var resumable: Bool?
        /// The ``Resumption/token`` of a server that was started over since; `nil` for who comes for the
        /// first time.
        ///
        /// The client gets its old connection back if the token is in order.
        package var restore: String?

        /// Creates a request.
        package init(
            version: Int = SessionProtocol.version, token: String, client: String? = nil,
            resumable: Bool? = nil, restore: String? = nil
        ) {
            self.version = version
            self.token = token
            self.client = client
            self.resumable = resumable
            self.restore = restore
        }
    }

    /// Publishes a stream.
    package struct Publish: Sendable, Equatable, Codable {
        /// The client's name for the peer connection.
        package var leg: LegName
        /// What the stream is.
        package var content: StreamContent
        /// Shares the publisher's own figures with subscribers.
        package var senderStatsTrack: Bool
        /// Whether the router may switch a subscriber's video off to save its audio.
        package var audioFallbackEnabled: Bool
        /// The most that each of its connections may send, bps; `nil` for no bound.
        package var maximumBitrate: Int?
        /// ``ServerMessage/Published/restore`` of the stream that this one was before the server was started
        /// again; `nil` for a new stream.
        package var restore: String?
        /// Marks the stream of a network test: the server reports more about it, four times a second.
        package var testsNetwork: Bool?
        /// The SDP offer; `nil` in a session that may be relayed, where the stream's legs come later.
        package var offer: String?

        /// Creates a request.
        package init(
            leg: LegName, content: StreamContent, senderStatsTrack: Bool = false,
            audioFallbackEnabled: Bool = true, maximumBitrate: Int? = nil, restore: String? = nil,
            testsNetwork: Bool? = nil, offer: String?
        ) {
            self.leg = leg
            self.content = content
            self.senderStatsTrack = senderStatsTrack
            self.audioFallbackEnabled = audioFallbackEnabled
            self.maximumBitrate = maximumBitrate
            self.restore = restore
            self.testsNetwork = testsNetwork
            self.offer = offer
        }
    }

    /// Subscribes to a stream.
    package struct Subscribe: Sendable, Equatable, Codable {
        /// The client's name for the peer connection.
        package var leg: LegName
        /// The stream.
        package var stream: String
        /// The preferred video.
        package var preference: VideoPreference
        /// Marks the subscription of a network test, which may be saturated.
        package var testsNetwork: Bool?
        /// The SDP offer; `nil` in a session that may be relayed, where the subscription's legs come later.
        package var offer: String?

        /// Creates a request.
        package init(
            leg: LegName, stream: String, preference: VideoPreference = .init(), testsNetwork: Bool? = nil,
            offer: String?
        ) {
            self.leg = leg
            self.stream = stream
            self.preference = preference
            self.testsNetwork = testsNetwork
            self.offer = offer
        }
    }

    /// A new offer on an existing leg.
    package struct Offer: Sendable, Equatable, Codable {
        /// The leg.
        package var leg: LegName
        /// The SDP offer.
        package var offer: String

        /// Creates a request.
        package init(leg: LegName, offer: String) {
            self.leg = leg
            self.offer = offer
        }
    }

    /// A new peer connection in place of an old one.
    ///
    /// The stream or subscription stays the same. The old leg's media continues until half a second after the
    /// new one has connected, 30 seconds at most; then the server ends it silently. After `mediaLost`
    /// the request may wait for its answer up to 15 seconds; see ``ServerMessage/MediaLost``. If it is
    /// refused, the old leg stays what it was.
    package struct Replace: Sendable, Equatable, Codable {
        /// The new leg's name.
        package var leg: LegName
        /// The leg whose stream or subscription it takes over.
        package var replaces: LegName
        /// The SDP offer.
        package var offer: String

        /// Creates a request.
        package init(leg: LegName, replaces: LegName, offer: String) {
            self.leg = leg
            self.replaces = replaces
            self.offer = offer
        }
    }

    /// Changes the preferences of a subscription.
    package struct Prefer: Sendable, Equatable, Codable {
        /// The leg.
        package var leg: LegName
        /// The preferred video.
        package var preference: VideoPreference

        /// Creates a request.
        package init(leg: LegName, preference: VideoPreference) {
            self.leg = leg
            self.preference = preference
        }
    }

    /// Changes what a stream is said to be.
    package struct UpdateStream: Sendable, Equatable, Codable {
        /// The leg that publishes it.
        package var leg: LegName
        /// What the stream is.
        package var content: StreamContent

        /// Creates a request.
        package init(leg: LegName, content: StreamContent) {
            self.leg = leg
            self.content = content
        }
    }

    /// Names a stream.
    package struct StreamName: Sendable, Equatable, Codable {
        /// The stream.
        package var stream: String

        /// Names a stream.
        package init(stream: String) { self.stream = stream }
    }

    /// Names a connection.
    package struct ConnectionName: Sendable, Equatable, Codable {
        /// The connection.
        package var connection: String

        /// Names a connection.
        package init(connection: String) { self.connection = connection }
    }

    /// Saturates the path to a subscription, to measure what arrives.
    ///
    /// Only for subscriptions that ``Subscribe/testsNetwork``. It ends by itself: a full network would let no word of it
    /// through.
    package struct Saturate: Sendable, Equatable, Codable {
        /// The leg.
        package var leg: LegName
        /// What the media router sends, bps, padding after media.
        package var bitrate: Double
        /// For how long, seconds; 3 at most.
        package var seconds: Double

        /// The most that may be asked for, seconds: what a test may need.
        package static let maximumSeconds = BandwidthTest.fillingTime.seconds

        /// Creates a request.
        package init(leg: LegName, bitrate: Double, seconds: Double = maximumSeconds) {
            self.leg = leg
            self.bitrate = bitrate
            self.seconds = seconds
        }
    }

    /// Names a leg.
    package struct Leg: Sendable, Equatable, Codable {
        /// The leg.
        package var leg: LegName

        /// Names a leg.
        package init(leg: LegName) { self.leg = leg }
    }
}
