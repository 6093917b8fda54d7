// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import CallModel
import Foundation
import SessionServer
import SessionWire

/// How media is routed in a new session.
struct RoutingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "routed: through the media router; relayed: from client to client; adaptive: relayed between two clients, "
                + "routed from three on.", valueName: "routing"))
    var routing: MediaMode = .routed
}

extension MediaMode: ExpressibleByArgument {}

/// STUN and TURN servers of a session server.
struct ICEServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A STUN server for the clients, such as stun:example.com:3478.", valueName: "url"))
    var stun: [String] = []

    @Option(
        help: ArgumentHelp(
            "A TURN server for the clients, such as 'turn:example.com:3478?transport=udp'; needs --turn-secret.",
            valueName: "url"))
    var turn: [String] = []

    @Option(
        help: ArgumentHelp(
            "The TURN server's static-auth-secret (coturn's use-auth-secret), by which each client gets credentials "
                + "of its own; also from SIGHTLINE_TURN_SECRET.", valueName: "secret"))
    var turnSecret: String?

    @Option(help: ArgumentHelp("File with the TURN server's static-auth-secret.", valueName: "file"))
    var turnSecretFile: String?

    private static let lifetimes = OptionRange("--turn-lifetime", .whole(60...30 * 86_400), .seconds)

    @Option(help: Self.lifetimes.help("Lifetime of TURN credentials", valueName: "seconds"))
    var turnLifetime = Int(TURNConfiguration.defaultLifetime.seconds)

    func validate() throws {
        for url in stun where !url.hasPrefix("stun:") && !url.hasPrefix("stuns:") {
            throw ValidationError("--stun: '\(url)' should be stun:HOST:PORT.")
        }
        for url in turn where !url.hasPrefix("turn:") && !url.hasPrefix("turns:") {
            throw ValidationError("--turn: '\(url)' should be turn:HOST:PORT?transport=udp.")
        }
        guard try turn.isEmpty || givenSecret() != nil else {
            throw ValidationError("--turn needs --turn-secret, the server's static-auth-secret.")
        }
        try Self.lifetimes.check(turnLifetime)
    }

    /// Tells a server's clients of them.
    func apply(to configuration: inout SessionServerConfiguration) throws {
        if !stun.isEmpty { configuration.iceServers.append(ICEServer(urls: stun)) }
        guard !turn.isEmpty, let secret = try givenSecret() else { return }
        configuration.turn = TURNConfiguration(urls: turn, secret: secret, lifetime: .seconds(turnLifetime))
    }

    private func givenSecret() throws -> String? {
        try SecretSource(
            name: "--turn-secret", option: turnSecret, file: turnSecretFile, variable: "SIGHTLINE_TURN_SECRET"
        ).secret()
    }
}

/// Which network a headless client uses.
struct NetworkOptions: ParsableArguments {
    @Flag(help: "Restricts media to the loopback interface.")
    var loopbackOnly = false

    @Flag(help: "Restricts media to TURN servers.")
    var relayOnly = false
}
