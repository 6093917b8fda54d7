// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a test could not be carried through.
public struct PreCallFailure: Error, Sendable, Equatable, Codable {
    /// The step that failed.
    public var step: PreCallStep
    /// The kind of failure, such as `timeout`.
    public var code: String
    /// Description of the failure, for people.
    public var message: String
    /// Advice, for people.
    public var advice: String

    /// Describes a failure.
    public init(step: PreCallStep, code: String, message: String, advice: String) {
        self.step = step
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// ``code`` of a test whose time was up: a network on which that is not enough connects too slowly.
    public static let outOfTime = "outOfTime"

    /// Whether it is about the network between the client and the media router, and not about the server,
    /// the token or the session.
    public var isOfTheNetwork: Bool {
        if code == Self.outOfTime { return !Self.stepsToTheToken.contains(step) }
        return Self.networkSteps.contains(step) && !Self.otherCodes.contains(code)
    }

    /// Until then, nothing is known of where the server is.
    private static let stepsToTheToken: Set<PreCallStep> = [
        .serverReachable, .tls, .webSocket, .tokenAccepted,
    ]

    private static let otherCodes: Set<String> = [
        "cancelled", "connectionLost", "connectionEnded", "serverRestarted", "forceDisconnected",
        "unsupported",
    ]

    private static let networkSteps: Set<PreCallStep> = [
        .iceCandidates, .udpPath, .dtls, .mediaReceived, .bandwidth, .quality, .audioOnly,
    ]

    /// What failed with a code, and with a message of whoever found it out; says what to do.
    package init(step: PreCallStep, code: String, found message: String) {
        self.init(
            step: step, code: code, message: Self.message(for: step, code) ?? message,
            advice: Self.advice(for: step, code))
    }

    /// A test whose time was up in a step: after the token that is the network's, before it a timeout like any
    /// other.
    package init(outOfTimeIn step: PreCallStep) {
        self.init(
            step: step, code: Self.stepsToTheToken.contains(step) ? "timeout" : Self.outOfTime,
            found: "the test had no more time for this step")
    }

    /// Why media of a session that is not routed cannot test the way to the media router.
    package static let notRouted =
        "the session is not routed, and media that goes past the router says nothing of it"
    /// Why a session with others' streams cannot be tested in.
    package static let occupied =
        "someone else publishes in the session: the test would disturb the call, and be disturbed by it"

    private static func message(for step: PreCallStep, _ code: String) -> String? {
        switch (step, code) {
        case (_, "cancelled"): "the test was stopped"
        // A socket that takes too long does not know how far it came.
        case (.tls, "timeout"): "the server was reached, but does not answer in TLS"
        case (.webSocket, "timeout"): "the server was reached, but does not open a session socket"
        default: nil
        }
    }

    private static func advice(for step: PreCallStep, _ code: String) -> String {
        switch (step, code) {
        case (_, outOfTime): "Try another network: this one connects too slowly."
        case (_, "cancelled"): "Run the test again and let it finish."
        case (_, "connectionLost"): "Try again; if the problem persists, ask whether the server is healthy."
        case (_, "unsupported"):
            "Give the test sources that this media engine has, or test with an engine that can do this."
        case (_, "invalidURL"): "Give an address such as wss://calls.example.com."
        case (.serverReachable, _):
            "Check the address and the internet connection; ask whether a firewall or proxy lets this port through."
        case (.tls, "timeout"):
            "Check whether the server speaks TLS at this port; if it does not, use an address that begins with ws:// or http://."
        case (.tls, _):
            "Check this device's date and time, and whether a proxy or virus scanner intercepts secure connections."
        case (.webSocket, _): "Check the address; if it is right, a proxy may be keeping WebSockets out."
        case (.tokenAccepted, "expiredToken"):
            "Get a new token; if it is new, check this device's date and time."
        case (.tokenAccepted, _): "Get a token of this server for a session that exists."
        case (.sessionFree, _): "Create a separate session for the test, with routed media."
        case (.publish, "forbidden"): "Get a token whose role may publish."
        case (.publish, _), (.subscribe, _):
            "Try again in a few seconds; if the problem persists, the media router is at fault."
        case (.iceCandidates, _): "Check that this device is connected to a network and the app may use it."
        case (.udpPath, _):
            "Ask whether a firewall blocks UDP; allow it to the media router, or set up a TURN server."
        case (.dtls, _): "Try another network: this one lets the first packets through and then blocks."
        case (.mediaReceived, _): "Try another network: this one connects but carries no media."
        default: "Try again; if the problem persists, try another network."
        }
    }
}
