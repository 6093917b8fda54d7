// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Steps of a pre-call test, in order.
///
/// Open: newer versions may have more.
public struct PreCallStep: RawRepresentable, Hashable, Sendable, Codable {
    /// The name of the step.
    public let rawValue: String

    /// Names a step.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A TCP connection to the server.
    public static let serverReachable = PreCallStep(rawValue: "serverReachable")
    /// TLS with the server; omitted of plain `ws`.
    public static let tls = PreCallStep(rawValue: "tls")
    /// The server opens a session socket.
    public static let webSocket = PreCallStep(rawValue: "webSocket")
    /// The server accepts the token.
    public static let tokenAccepted = PreCallStep(rawValue: "tokenAccepted")
    /// The session is fit for a test: routed, and no one else publishes in it.
    public static let sessionFree = PreCallStep(rawValue: "sessionFree")
    /// The server accepts the test stream.
    public static let publish = PreCallStep(rawValue: "publish")
    /// The server allows the client to receive the test stream.
    public static let subscribe = PreCallStep(rawValue: "subscribe")
    /// This client has gathered candidates.
    public static let iceCandidates = PreCallStep(rawValue: "iceCandidates")
    /// A candidate pair is connected.
    public static let udpPath = PreCallStep(rawValue: "udpPath")
    /// Keys are agreed on with the media router.
    public static let dtls = PreCallStep(rawValue: "dtls")
    /// The test stream is received back from the media router.
    public static let mediaReceived = PreCallStep(rawValue: "mediaReceived")
    /// The path's capacity is measured.
    public static let bandwidth = PreCallStep(rawValue: "bandwidth")
    /// Audio and video are measured.
    public static let quality = PreCallStep(rawValue: "quality")
    /// Audio is measured alone.
    public static let audioOnly = PreCallStep(rawValue: "audioOnly")
    /// Its name for people, such as `UDP path`.
    public var title: String { Self.titles[self] ?? rawValue }

    private static let titles: [PreCallStep: String] = [
        .serverReachable: "server reachable", .tls: "TLS", .webSocket: "WebSocket",
        .tokenAccepted: "token accepted", .sessionFree: "session free", .publish: "publish",
        .subscribe: "subscribe", .iceCandidates: "ICE candidates", .udpPath: "UDP path", .dtls: "DTLS keys",
        .mediaReceived: "media received", .bandwidth: "bandwidth", .quality: "quality",
        .audioOnly: "audio alone",
    ]

    /// Those of the connectivity stage, in their order.
    package static let connectivity: [PreCallStep] = [
        .serverReachable, .tls, .webSocket, .tokenAccepted, .sessionFree, .publish, .subscribe,
        .iceCandidates, .udpPath,
        .dtls, .mediaReceived,
    ]
}
