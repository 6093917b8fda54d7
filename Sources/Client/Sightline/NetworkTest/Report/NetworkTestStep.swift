// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Steps of a network test, in order.
///
/// Open: newer versions may have more.
public struct NetworkTestStep: RawRepresentable, Hashable, Sendable, Codable {
    /// The name of the step.
    public let rawValue: String

    /// Names a step.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A TCP connection to the server.
    public static let serverReachable = NetworkTestStep(rawValue: "serverReachable")
    /// TLS with the server; omitted of plain `ws`.
    public static let tls = NetworkTestStep(rawValue: "tls")
    /// The server opens a session socket.
    public static let webSocket = NetworkTestStep(rawValue: "webSocket")
    /// The server accepts the token.
    public static let tokenAccepted = NetworkTestStep(rawValue: "tokenAccepted")
    /// The session is fit for a test: routed, and no one else publishes in it.
    public static let sessionFree = NetworkTestStep(rawValue: "sessionFree")
    /// The server accepts the test stream.
    public static let publish = NetworkTestStep(rawValue: "publish")
    /// The server allows this client to receive the test stream.
    public static let subscribe = NetworkTestStep(rawValue: "subscribe")
    /// This client has gathered candidates.
    public static let iceCandidates = NetworkTestStep(rawValue: "iceCandidates")
    /// A candidate pair is connected.
    public static let udpPath = NetworkTestStep(rawValue: "udpPath")
    /// Keys are agreed on with the media router.
    public static let dtls = NetworkTestStep(rawValue: "dtls")
    /// The test stream is received back from the media router.
    public static let mediaReceived = NetworkTestStep(rawValue: "mediaReceived")
    /// The path's capacity is measured.
    public static let bandwidth = NetworkTestStep(rawValue: "bandwidth")
    /// Audio and video are measured.
    public static let quality = NetworkTestStep(rawValue: "quality")
    /// Audio is measured alone.
    public static let audioOnly = NetworkTestStep(rawValue: "audioOnly")
    /// Its name for people, such as `UDP path`.
    public var title: String { Self.titles[self] ?? rawValue }

    private static let titles: [NetworkTestStep: String] = [
        .serverReachable: "server reachable", .tls: "TLS", .webSocket: "WebSocket",
        .tokenAccepted: "token accepted", .sessionFree: "session free", .publish: "publish",
        .subscribe: "subscribe", .iceCandidates: "ICE candidates", .udpPath: "UDP path", .dtls: "DTLS keys",
        .mediaReceived: "media received", .bandwidth: "bandwidth", .quality: "quality",
        .audioOnly: "audio alone",
    ]

    /// Those of the connectivity stage, in their order.
    static let connectivity: [NetworkTestStep] = [
        .serverReachable, .tls, .webSocket, .tokenAccepted, .sessionFree, .publish, .subscribe,
        .iceCandidates, .udpPath,
        .dtls, .mediaReceived,
    ]
}

/// Result of a step.
public struct NetworkTestStepResult: Sendable, Equatable, Codable {
    /// Outcome of a step.
    public enum Outcome: String, Sendable, Codable {
        /// As it should.
        case passed
        /// Not as it should; the test ended with it.
        case failed
        /// It was not needed.
        case skipped
    }

    /// The step.
    public var step: NetworkTestStep
    /// When it began, ms since the test began.
    public var start: Double
    /// Duration, ms.
    public var duration: Double
    /// Outcome.
    public var outcome: Outcome

    /// Describes a step.
    public init(step: NetworkTestStep, start: Double, duration: Double, outcome: Outcome) {
        self.step = step
        self.start = start
        self.duration = duration
        self.outcome = outcome
    }
}
