// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a call of the SDK failed, or why something that was running ended.
public struct SightlineError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of failure.
    ///
    /// Open: newer versions and servers may have more.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the kind.
        public let rawValue: String

        /// Names a kind of failure.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Kind of failure.
    public var code: Code
    /// What is wrong and what to do, in one sentence for people.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Message and code in one line.
    public var description: String { "\(message) (\(code.rawValue))" }
}

// Reaching the server.
extension SightlineError.Code {
    /// The address of the server cannot be read.
    public static let invalidURL = Self(rawValue: "invalidURL")
    /// The server cannot be reached.
    public static let connectionFailed = Self(rawValue: "connectionFailed")
    /// The socket to the server broke during the session.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// The server ended the session for this client.
    public static let connectionEnded = Self(rawValue: "connectionEnded")
    /// A moderator has put this client out of the session.
    public static let forceDisconnected = Self(rawValue: "forceDisconnected")
    /// The session cannot be brought back: the client was away for too long, or too much was lost.
    public static let connectionOver = Self(rawValue: "connectionOver")
    /// The server was restarted and lost the request; it can be made again.
    public static let serverRestarted = Self(rawValue: "serverRestarted")
    /// Something did not happen in time.
    public static let timeout = Self(rawValue: "timeout")
    /// The caller gave up: its task was cancelled, or the session was disconnected meanwhile.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The server sent something that cannot be understood.
    public static let protocolViolation = Self(rawValue: "protocolViolation")
    /// Server and SDK have different protocol versions.
    public static let unsupportedVersion = Self(rawValue: "unsupportedVersion")
    /// The server failed for a reason of its own.
    public static let server = Self(rawValue: "server")
}

// What the token allows.
extension SightlineError.Code {
    /// The token is damaged or not one of this server's.
    public static let invalidToken = Self(rawValue: "invalidToken")
    /// The token has expired.
    public static let expiredToken = Self(rawValue: "expiredToken")
    /// The token names a session that does not exist.
    public static let unknownSession = Self(rawValue: "unknownSession")
    /// The token's role does not allow it.
    public static let forbidden = Self(rawValue: "forbidden")
    /// A limit of the server is reached.
    public static let tooMany = Self(rawValue: "tooMany")
}

// Using the API.
extension SightlineError.Code {
    /// The session is not connected.
    public static let notConnected = Self(rawValue: "notConnected")
    /// `connect()` was called before.
    public static let alreadyConnected = Self(rawValue: "alreadyConnected")
    /// The publisher has been published before; each publishes once.
    public static let alreadyPublished = Self(rawValue: "alreadyPublished")
    /// The publisher is not published in this session.
    public static let notPublished = Self(rawValue: "notPublished")
    /// The subscriber has been subscribed before; each subscribes once.
    public static let alreadySubscribed = Self(rawValue: "alreadySubscribed")
    /// The subscriber is not subscribed in this session.
    public static let notSubscribed = Self(rawValue: "notSubscribed")
    /// The stream is not in the session, or no longer.
    public static let unknownStream = Self(rawValue: "unknownStream")
    /// The connection is not in the session, or no longer.
    public static let unknownConnection = Self(rawValue: "unknownConnection")
    /// A setting is out of range or contradicts another.
    public static let invalidArgument = Self(rawValue: "invalidArgument")
}

// Media.
extension SightlineError.Code {
    /// The codec or description is not one that the other side can pass on.
    public static let unsupportedMedia = Self(rawValue: "unsupportedMedia")
    /// The media router is away at the moment.
    public static let routerUnavailable = Self(rawValue: "routerUnavailable")
    /// The media engine does not have what was asked for.
    public static let unsupported = Self(rawValue: "unsupported")
    /// The media engine failed.
    public static let mediaEngine = Self(rawValue: "mediaEngine")
    /// The media connection broke and could not be brought back.
    public static let mediaLost = Self(rawValue: "mediaLost")
}
