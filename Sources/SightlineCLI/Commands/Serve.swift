// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import Foundation
import Logging
import SessionServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the session server with its media router.",
        discussion: """
            Sessions are made with POST /v1/sessions, tokens with POST /v1/sessions/ID/tokens ('sightline token' does \
            both); GET /readyz says whether it can do its work. Ctrl-C notifies everyone and ends it; so does SIGTERM, \
            which with --node-url gives its sessions to other servers first (--drain-within). The next one ends it at once.

            Each option can also be given as a variable of the environment, --tls-key as SIGHTLINE_TLS_KEY (true or false for a \
            flag, several values with commas, --limit sessions=5 as SIGHTLINE_LIMIT_SESSIONS), and in the file that --config \
            names. The command line counts most, then the environment, then the file.
            """)

    @Option(help: "Address to listen on.")
    var host: String = "127.0.0.1"

    @Option(help: OptionRange.port.help("TCP port, 0 for any that is free"))
    var port: Int = 8080

    @OptionGroup var application: ApplicationOptions
    @OptionGroup var quality: QualityOptions

    @Option(help: ArgumentHelp("PEM file with the certificate chain; makes it HTTPS.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("PEM file with the private key.", valueName: "file"))
    var tlsKey: String?

    @OptionGroup var site: SiteOptions
    @OptionGroup var iceServers: ICEServerOptions

    @OptionGroup var history: HistoryOptions
    @OptionGroup var otlp: OTLPOptions
    @OptionGroup var web: WebOptions

    @Flag(help: "Restricts media to the loopback interface.")
    var loopbackOnly = false

    @Flag(
        help: ArgumentHelp(
            "Lets API tokens with the scope 'emulate' make participants' networks worse during their calls: loss, delay, rate."
        ))
    var allowNetworkEmulation = false

    @OptionGroup var mediaRouter: RouterOptions
    @OptionGroup var limits: LimitOptions

    @Option(
        help: ArgumentHelp(
            "JSON file with settings: options by their names, 'limits' and 'timeouts'.", valueName: "file"))
    var config: String?

    @Flag(help: "Prints every setting, and where its value comes from, and ends.")
    var printConfig = false

    @Option(
        help: ArgumentHelp(
            "File with a token of 32 bytes or more that opens /metrics and /v1/routers and nothing else, for Prometheus; also from "
                + "SIGHTLINE_METRICS_TOKEN.", valueName: "file"))
    var metricsTokenFile: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    @Option(help: "text, or json: an object a line, with the ids of what it is about.")
    var logFormat: LogFormat = .text

    func validate() throws {
        try OptionRange.port.check(port)
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key belong together.")
        }
        if let secret = try application.givenSecret(), secret.utf8.count < 32 {
            throw ValidationError(
                "The secret should have 32 bytes or more: it signs tokens with HMAC-SHA256.")
        }
        if let token = try metricsToken(), token.utf8.count < 32 {
            throw ValidationError("--metrics-token-file: the token should have 32 bytes or more.")
        }
    }

    func run() async throws {
        // Whatever is written, the store first of all, is for no one else to read.
        umask(0o077)
        OpenFiles.raiseLimit()
        LocalServer.startLogging(logLevel, logFormat)
        let interruption = Interruption()
        let configuration = try makeConfiguration { DashboardLink.say($0) }
        let server = SightlineServer(configuration: configuration) { port in
            let address = address(at: port)
            DashboardLink.say("listening on \(address)")
            await sayDashboard(address, configuration)
        }
        let ending = Task {
            await interruption.wait(seconds: nil)
            if interruption.isTermination { await server.drain(within: .seconds(history.drainWithin)) }
            await server.shutdown()
        }
        defer { ending.cancel() }
        // Without a certificate it is the terminal's end, and the server's.
        let hangup = tlsCertificate.map { _ in
            SignalWatch(SIGHUP) { Task { await server.reloadCertificates() } }
        }
        defer { hangup?.end() }
        do {
            try await server.run()
        } catch {
            throw CommandFailure("The server failed to start on \(address(at: port)): \(error)")
        }
    }

    /// Where people find the server; the colons of an IPv6 address are no port's.
    func address(at port: Int) -> String {
        let isIPv6 = host.contains(":") && !host.hasPrefix("[")
        return "\(tlsKey == nil ? "http" : "https")://\(isIPv6 ? "[\(host)]" : host):\(port)"
    }

    /// Whether what is said is read at a terminal: what is written to a log stays there.
    private var isAtTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Prints the dashboard's address; with a token only at a terminal.
    private func sayDashboard(_ address: String, _ configuration: SessionServerConfiguration) async {
        let link = try? await DashboardLink(server: address).open(
            history.keepNames ? [.read, .names] : [.read], applicationID: configuration.applicationID,
            secret: configuration.applicationSecret)
        if isAtTerminal, let link { return DashboardLink.say("dashboard: \(link)") }
        DashboardLink.say("dashboard: \(address)/ ('sightline api-token' makes a token for it)")
    }

    private func metricsToken() throws -> String? {
        try SecretSource(
            name: "--metrics-token", option: nil, file: metricsTokenFile, variable: "SIGHTLINE_METRICS_TOKEN"
        ).secret()
    }

    /// The server that the options describe.
    ///
    /// - Parameter say: Takes what is unusual about it.
    func makeConfiguration(_ say: (String) -> Void) throws -> SessionServerConfiguration {
        let given = try application.givenSecret()
        let secret = given ?? LocalServer.randomSecret()
        if given == nil {
            say(
                isAtTerminal
                    ? "no secret was given; for this run it is \(secret)"
                    : "no secret was given, and no tokens can be made with the random one in its place: set SIGHTLINE_SECRET"
            )
        }
        var configuration = SessionServerConfiguration(
            applicationID: application.applicationID, applicationSecret: secret,
            router: try LocalServer.router(loopbackOnly: loopbackOnly, options: mediaRouter))
        configuration.limits = try limits.limits()
        // Each leg takes a port, and the routers share them.
        if let ports = mediaRouter.ports {
            let share = max(1, ports.count / mediaRouter.routers.value)
            configuration.limits.routerLegs = min(configuration.limits.routerLegs, share)
        }
        configuration.timeouts = try limits.timeouts()
        try history.apply(to: &configuration)
        try otlp.apply(to: &configuration)
        web.apply(to: &configuration)
        site.apply(to: &configuration)
        configuration.build = .init(version: ProgramVersion.current, commit: ProgramVersion.commit)
        configuration.host = host
        configuration.metricsToken = try metricsToken()
        configuration.quality = try quality.configuration()
        configuration.port = port
        configuration.allowsNetworkEmulation = allowNetworkEmulation
        try iceServers.apply(to: &configuration)
        if let tlsCertificate, let tlsKey {
            configuration.tls = .init(certificateChain: tlsCertificate, privateKey: tlsKey)
        }
        return configuration
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
