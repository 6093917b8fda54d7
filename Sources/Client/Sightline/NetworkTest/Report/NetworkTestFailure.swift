// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a test could not be carried through.
public struct NetworkTestFailure: Error, Sendable, Equatable, Codable {
    /// The step that failed.
    public var step: NetworkTestStep
    /// The kind of failure, a ``SightlineError/Code``.
    public var code: String
    /// Description of the failure, for people.
    public var message: String
    /// Advice, for people.
    public var advice: String

    /// Describes a failure.
    public init(step: NetworkTestStep, code: String, message: String, advice: String) {
        self.step = step
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// Whether it is about the network between this client and the media router, and not about the server,
    /// the token or the session.
    public var isOfTheNetwork: Bool {
        Self.networkSteps.contains(step) && !Self.otherCodes.contains(SightlineError.Code(rawValue: code))
    }

    private static let otherCodes: Set<SightlineError.Code> = [
        .cancelled, .connectionLost, .connectionEnded, .serverRestarted, .forceDisconnected, .unsupported,
    ]

    private static let networkSteps: Set<NetworkTestStep> = [
        .iceCandidates, .udpPath, .dtls, .mediaReceived, .bandwidth, .quality, .audioOnly,
    ]

    init(_ step: NetworkTestStep, _ error: any Error) {
        let error = SightlineError(cause: error)
        self.init(
            step: step, code: error.code.rawValue, message: Self.message(for: step, error),
            advice: Self.advice(for: step, error.code))
    }

    private static func message(for step: NetworkTestStep, _ error: SightlineError) -> String {
        switch (step, error.code) {
        case (_, .cancelled): "the test was stopped"
        // A socket that takes too long does not know how far it came.
        case (.tls, .timeout): "the server was reached, but does not answer in TLS"
        case (.webSocket, .timeout): "the server was reached, but does not open a session socket"
        default: error.message
        }
    }

    private static func advice(for step: NetworkTestStep, _ code: SightlineError.Code) -> String {
        switch (step, code) {
        case (_, .cancelled): "Run the test again and let it come to its end."
        case (_, .connectionLost): "Try again; if it stays, ask whether the server is healthy."
        case (_, .unsupported):
            "Give the test sources that this media engine has, or test with an engine that can do this."
        case (_, .invalidURL): "Give an address such as wss://calls.example.com."
        case (.serverReachable, _):
            "Check the address and the internet connection; ask whether a firewall or proxy lets this port through."
        case (.tls, .timeout):
            "Check whether the server speaks TLS at this port; without it, the address begins with ws:// or http://."
        case (.tls, _):
            "Check this device's date, and whether a proxy or virus scanner intercepts secure connections."
        case (.webSocket, _): "Check the address; if it is right, a proxy may be keeping WebSockets out."
        case (.tokenAccepted, .expiredToken): "Get a new token; if it is new, check this device's date."
        case (.tokenAccepted, _): "Get a token of this server for a session that exists."
        case (.sessionFree, _): "Make a session of its own for the test, with routed media."
        case (.publish, .forbidden): "Get a token whose role may publish."
        case (.publish, _), (.subscribe, _):
            "Try again in a few seconds; if it stays, the media router is at fault."
        case (.iceCandidates, _): "Check that this device is connected to a network and the app may use it."
        case (.udpPath, _):
            "Ask whether a firewall blocks UDP; allow it to the media router, or set up a TURN server."
        case (.dtls, _): "Try another network: this one passes the first packets but no more."
        case (.mediaReceived, _): "Try another network: this one connects but carries no media."
        default: "Try again; if it stays, try another network."
        }
    }
}
