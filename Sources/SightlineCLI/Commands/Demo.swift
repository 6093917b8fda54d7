// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser
import CallQuality
import Foundation
import Logging
import MediaEngine
import SessionServer
import SessionWire
import Sightline

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A real call between two participants through server and router, with its live quality.",
        discussion: """
            alice publishes a test card and speech, bob receives them through the media router. Everything stays on the \
            loopback interface. With --routing relayed it goes from alice to bob directly; with adaptive it does so too, \
            until carol joins for a few seconds. Of --condition, 'up' is done to what alice sends and 'down' to what bob receives.
            """)

    @OptionGroup var routing: RoutingOptions
    @OptionGroup var media: MediaOptions
    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var quality: QualityOptions
    @OptionGroup var recording: RecordOptions
    @OptionGroup var output: OutputOptions

    @Option(help: OptionRange.port.help("TCP port of the server, 0 for any that is free"))
    var port: Int = 0

    @OptionGroup var web: WebOptions

    private static let application = "demo"

    func validate() throws {
        try OptionRange.port.check(port)
    }

    func run() async throws {
        LocalServer.startLogging(.warning)
        let schedule = try conditions.schedule()
        let secret = LocalServer.randomSecret()
        let networks = DemoNetworks()
        let server = SightlineServer(configuration: try makeConfiguration(secret, networks))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let result: Result<Void, any Error>
            do { result = .success(try await call(server, secret, schedule, networks)) } catch {
                result = .failure(error)
            }
            await server.shutdown()
            do { try await group.waitForAll() } catch {
                throw CommandFailure("The server failed to start on port \(port): \(error)")
            }
            try result.get()
        }
    }

    private func makeConfiguration(
        _ secret: String, _ networks: DemoNetworks
    ) throws -> SessionServerConfiguration {
        var configuration = SessionServerConfiguration(
            applicationID: Self.application, applicationSecret: secret,
            router: try LocalServer.router(loopbackOnly: true))
        configuration.port = port
        configuration.quality = try quality.configuration()
        configuration.timeouts.relayedAgain = .seconds(3)
        configuration.store?.keepsNames = true
        configuration.allowsNetworkEmulation = true
        configuration.clientNetworks = networks.control
        web.apply(to: &configuration)
        return configuration
    }

    private func call(
        _ server: SightlineServer, _ secret: String, _ schedule: ConditionSchedule?, _ networks: DemoNetworks
    ) async throws {
        guard let port = try? await server.boundPort, let url = URL(string: "http://127.0.0.1:\(port)") else {
            return
        }
        try await LocalServer.waitForRouter(of: server)
        let session = try await server.createSession(mediaMode: routing.routing).session
        let link = try await DashboardLink(server: url.absoluteString).open(
            [.read, .names, .tokens, .emulate], applicationID: Self.application, secret: secret,
            session: session)
        DashboardLink.say("dashboard: \(link)")
        let issuer = await TokenIssuer(applicationID: Self.application, applicationSecret: secret)
        let alice = try await issuer.token(session: session, role: .publisher, name: "alice").token
        let bob = try await issuer.token(session: session, role: .subscriber, name: "bob").token
        let media = media
        let quality = try quality.configuration()
        let recorder = try recording.recorder()
        var run = CallRun(output: output, recorder: recorder)
        if routing.routing == .adaptive {
            let carol = try await issuer.token(session: session, role: .subscriber, name: "carol").token
            run.aside = { bus in try await Self.visit(url, carol, bus) }
        }
        // Everyone's network can be made bad from the dashboard.
        let schedule = schedule ?? ConditionSchedule(always: NetworkConditions())
        try await run.run { bus in
            try await explained {
                let publishing = try Participant(
                    name: "alice", url: url, token: alice, loopbackOnly: true, bus: bus, quality: quality,
                    recorder: recorder)
                let receiving = try Participant(
                    name: "bob", url: url, token: bob, loopbackOnly: true, bus: bus, quality: quality,
                    recorder: recorder)
                try await publishing.connect()
                let published = try await publishing.publish(
                    media.settings(name: "alice"), conditions: schedule.filtered(to: .up))
                await networks.add(published)
                try await receiving.connect()
                let stream = try await receiving.stream(nil)
                let received = try await receiving.subscribe(stream, conditions: schedule.filtered(to: .down))
                await networks.add(received)
                receiving.welcome(networks)
                return [published, received]
            }
        }
    }

    /// A third participant, for whom the media go through the router for a while.
    private static func visit(_ url: URL, _ token: String, _ bus: EventBus) async throws {
        try await Task.sleep(for: .seconds(5))
        let carol = try Participant(name: "carol", url: url, token: token, loopbackOnly: true, bus: bus)
        let outcome: Result<Void, any Error>
        do {
            try await carol.connect()
            let leg = try await carol.subscribe(try await carol.stream(nil), conditions: nil)
            let watching = Task { await leg.follow() }
            defer { watching.cancel() }
            try await Task.sleep(for: .seconds(6))
            outcome = .success(())
        } catch { outcome = .failure(error) }
        await carol.leave()
        try outcome.get()
    }
}
