// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import ClusterStore
import Foundation
import HistoryWriter
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle
import SessionCore
import SessionWire

/// A session server with its media router.
///
/// A `Service`: ``run()`` serves until its task is cancelled, graceful shutdown is asked for, or
/// ``shutdown()`` is called. Whichever way it ends, the router process ends with it.
package final class SightlineServer: Service {
    private let configuration: SessionServerConfiguration
    private let logger: Logger
    /// For tests, which bring a router of their own.
    let hub: ServerHub
    private let feed = LiveFeed()
    /// For tests, which have something in their store already.
    private let prepared: (any HistoryStore)?
    private let metrics: ServerMetrics
    /// For tests, which have it end by itself.
    let exporter: OTLPExporter?
    private let names: ParticipantNames
    private let policy: SitePolicy
    /// For tests, which count connections.
    let connections: ConnectionGate
    private let port = Promise<Int>()
    private let services = Promise<ServiceGroup>()
    /// Of none where it is the only server, or one that clients are not sent to.
    private let directory = Promise<ClusterDirectory?>()
    private let onReady: (@Sendable (Int) async -> Void)?
    private let certificates = Promise<Certificates?>()

    /// Time between two looks at what is due.
    private static let tick: Duration = .milliseconds(200)

    /// Sets a server up; nothing runs before ``run()``.
    ///
    /// - Parameters:
    ///   - logger: Gets no tokens, addresses or session descriptions.
    ///   - onReady: Called once with the TCP port when the server listens. The router may need a moment more.
    package convenience init(
        configuration: SessionServerConfiguration, logger: Logger = Logger(label: "sightline.server"),
        onReady: (@Sendable (Int) async -> Void)? = nil
    ) {
        self.init(configuration, logger, onReady, store: nil)
    }

    init(
        _ configuration: SessionServerConfiguration, _ logger: Logger,
        _ onReady: (@Sendable (Int) async -> Void)? = nil, store: (any HistoryStore)?
    ) {
        prepared = store
        self.configuration = configuration
        self.logger = logger
        self.onReady = onReady
        metrics = ServerMetrics()
        exporter = configuration.otlp.map { [metrics] settings in
            OTLPExporter(
                settings, build: configuration.build, startedAt: metrics.startedAt, logger: logger)
        }
        policy = SitePolicy(configuration)
        var limits = configuration.limits
        limits.openConnections = OpenFiles.connections(upTo: limits.openConnections)
        connections = ConnectionGate(limits, logger: logger)
        names = ParticipantNames(
            secret: configuration.applicationSecret, keepsNames: configuration.store?.keepsNames ?? false)
        let storing = configuration.store.map { [names] _ in
            CoreStoring(names: names.stored, run: UInt64.random(in: .min ... .max))
        }
        let core = Lobby(
            limits: configuration.limits, timeouts: configuration.timeouts,
            iceServers: { [servers = configuration.iceServers, turn = configuration.turn] client, now in
                servers + [turn?.server(for: client, at: now.unix)].compactMap(\.self)
            },
            audioFallback: configuration.quality.audioFallback.subscriber, quality: configuration.quality,
            routers: configuration.router?.count ?? 0,
            emulatesNetworks: configuration.allowsNetworkEmulation,
            ids: IDSource(SystemRandomNumberGenerator()),
            seal: RestorationSeal(secret: configuration.applicationSecret), storing: storing)
        hub = ServerHub(core: core, logger: logger, metrics: metrics, traces: exporter?.traces)
    }

    /// Serves.
    ///
    /// Once only.
    ///
    /// Graceful shutdown notifies the clients, closes their sockets, and then ends the router.
    ///
    /// - Throws: ``ConfigurationError`` if the configuration or the address cannot be used.
    package func run() async throws {
        defer {
            port.finish(throwing: CancellationError())
            services.finish(throwing: CancellationError())
            self.directory.finish(throwing: CancellationError())
            self.certificates.finish(throwing: CancellationError())
        }
        let certificates = try configuration.tls.map { files throws(ConfigurationError) in
            try Certificates(files, interval: configuration.timeouts.certificates, logger: logger)
        }
        self.certificates.finish(returning: certificates)
        try await makeSessions()
        warn()
        let alerts = AlertService(
            configuration.alertReceivers, fleet: configuration.fleetRule,
            site: AlertSite(application: configuration.applicationID, root: configuration.site.publicURL),
            logger: logger)
        let service = try await openStore(alerts)
        do { try await service?.begin(hub) } catch {
            throw ConfigurationError("the store cannot be read for what was there before: \(error)")
        }
        let directory = try await enterCluster(service)
        self.directory.finish(returning: directory)
        // Of its own: what clients sent last is written after everything else has ended.
        let writing = service.map { service in Task { await service.write() } }
        let posting = Task { [hub] in
            await alerts.run(
                isHere: { await hub.has($0) }, isStoring: { service?.writer.isStoring ?? true })
        }
        let collector = MetricCollector(
            build: configuration.build, hub: hub, service: service, feed: feed, alerts: alerts,
            exporter: exporter, figures: metrics, connections: connections)
        let result: Result<Void, any Error>
        do { result = .success(try await serve(service, collector, certificates, directory)) } catch {
            result = .failure(error)
        }
        await directory?.leave()
        if let writing { await service?.close(writing) }
        // Of everything, also of what was counted last. One that could not start does not wait for the collector.
        async let exported: Void? = port.hasValue ? exporter?.finish(collector.withoutStore) : nil
        await alerts.close(posting)
        await exported
        try result.get()
    }

    private func openStore(_ alerts: AlertService) async throws(ConfigurationError) -> StoreService? {
        guard let settings = configuration.store else { return nil }
        let store: any HistoryStore
        if let prepared {
            store = prepared
        } else {
            store = try await StoreService.open(settings, logger: logger)
        }
        return StoreService(
            store, try StoreService.openTokens(settings, store), settings, hub: hub, feed: feed,
            alerts: alerts, metrics: metrics, traces: exporter?.traces, logger: logger)
    }

    /// The directory of the server's cluster; `nil` if clients are not sent from one server to another.
    private func enterCluster(_ service: StoreService?) async throws(ConfigurationError) -> ClusterDirectory?
    {
        guard let cluster = configuration.store?.cluster, let route = cluster.route,
            let history = service?.store as? ClusterHistory
        else { return nil }
        let directory = ClusterDirectory(
            history, cluster, route, hub: hub, logger: logger, onRecovery: { service?.tell($0) })
        do { try await directory.enter() } catch {
            throw ConfigurationError("the node cannot enter its cluster: \(error)")
        }
        return directory
    }

    private func serve(
        _ service: StoreService?, _ collector: MetricCollector, _ certificates: Certificates?,
        _ directory: ClusterDirectory?
    ) async throws {
        let gate = try await makeGate(service)
        let group = try await makeServices(service, collector, gate, certificates, directory)
        services.finish(returning: group)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            if let router = configuration.router { add(router, to: &tasks) }
            if let service {
                tasks.addTask { [feed] in await service.keepUp(feed) }
                tasks.addTask { await service.judgeRatings() }
                tasks.addTask { await service.watchFleet { await directory?.isFirst ?? true } }
            }
            if let directory {
                tasks.addTask { await directory.run() }
                let others = ClusterFeed(feed: feed, directory: directory, tokens: try await makeTokens())
                tasks.addTask { await others.run() }
            }
            if let tokens = service?.refusedTokens as? ClusterTokens {
                let watch = RefusalWatch(
                    tokens: tokens, hub: hub, revoked: gate.revoked, feed: feed, logger: logger)
                tasks.addTask { await watch.run() }
            }
            if let exporter = collector.exporter {
                let interval = configuration.timeouts.otlpExport
                tasks.addTask { await exporter.run(collector, every: interval) }
            }
            if let certificates { tasks.addTask { await certificates.watch() } }
            tasks.addTask { [hub] in
                while (try? await Task.sleep(for: Self.tick)) != nil { await hub.handle(.tick) }
            }
            tasks.addTask { [connections] in
                var memory = MemoryReturn()
                while (try? await Task.sleep(for: MemoryReturn.interval)) != nil {
                    if memory.isDue(connections: connections.figures.connections) { MemoryReturn.giveBack() }
                }
            }
            defer { tasks.cancelAll() }
            let result: Result<Void, any Error>
            do { result = .success(try await group.run()) } catch { result = .failure(error) }
            await hub.end()
            do { try result.get() } catch let error as IOError {
                throw ConfigurationError(error, configuration)
            }
        }
    }

    /// Runs the media routers, and measures their load.
    private func add(
        _ router: SessionServerConfiguration.Router, to tasks: inout ThrowingTaskGroup<Void, any Error>
    ) {
        for id in (0..<router.count).map(RouterID.init(rawValue:)) {
            let supervisor = RouterSupervisor(
                id: id, router: router, timeouts: configuration.timeouts, hub: hub, logger: logger)
            tasks.addTask { await supervisor.run() }
        }
        let processors = RouterMeter.processors(threads: router.threads)
        tasks.addTask { [hub] in
            var reader = RouterLoadReader(processors: processors)
            let (clock, start) = (ContinuousClock(), ContinuousClock.now)
            while (try? await Task.sleep(for: RouterMeter.interval)) != nil {
                let routers = await hub.runningRouters
                await hub.note(reader.measure(routers) { clock.now - start })
            }
        }
    }

    /// Ends ``run()`` gracefully.
    ///
    /// Returns before it has ended; at once if it has never begun.
    package func shutdown() async {
        guard let group = try? await services.value else { return }
        await group.triggerGracefulShutdown()
    }

    /// Has a server that is one of several give its sessions to others, and returns when it has none, at the latest some time
    /// after `time`; at once if it is the only one.
    package func drain(within time: Duration) async {
        guard let directory = try? await directory.value else { return }
        await directory.drain(within: time)
    }

    /// The TCP port that the server listens on; waits until it does.
    ///
    /// - Throws: `CancellationError` if the server ends before it listens.
    package var boundPort: Int {
        get async throws { try await port.value }
    }

    /// Reads the certificate's files again, if there are any; otherwise that happens when they change.
    package func reloadCertificates() async {
        if let certificates = try? await certificates.value { certificates.reload() }
    }

    /// How the server is; the same as `GET /readyz`.
    package var health: Health {
        get async { await hub.health }
    }

    /// How its media routers are; the same as `GET /v1/routers`.
    package var routerStates: [RouterState] {
        get async { await hub.routerStates }
    }

    /// Creates a session; the same as `POST /v1/sessions`.
    ///
    /// - Throws: ``ServerError`` if there are too many, or the media mode is not available.
    package func createSession(mediaMode: MediaMode = .routed) async throws(ServerError) -> SessionCreated {
        try await hub.createSession(mediaMode: mediaMode)
    }
}

// MARK: - Parts

extension SightlineServer {
    /// Logs what is unsafe about the configuration.
    private func warn() {
        let isPlain = configuration.tls == nil && !policy.isSecure(forwardedProtocol: nil)
        if isPlain, !configuration.site.trustsProxy, !SitePolicy.isLoopback(configuration.host) {
            logger.warning(
                """
                plain HTTP on \(configuration.host): tokens and names can be read on the way. \
                Give it a certificate (--tls-certificate, --tls-key), or listen on 127.0.0.1 behind a proxy that has \
                one (--public-url)
                """)
        }
        if configuration.alertReceivers.contains(where: { OutgoingRequest.isReadable(to: $0.url) }) {
            logger.warning(
                "the address of a receiver of alerts is plain HTTP: alerts can be read in transit; use https")
        }
        if let otlp = configuration.otlp, OutgoingRequest.isReadable(to: otlp.endpoint) {
            logger.warning(
                "the collector's address is plain HTTP: what is exported, and its headers, can be read in transit; use https"
            )
        }
        let possible = OpenFiles.connections(upTo: configuration.limits.openConnections)
        if possible < configuration.limits.openConnections {
            logger.warning(
                "the process may open few files: no more than \(possible) connections; raise it (ulimit -n)")
        }
    }

    private func makeSessions() async throws {
        for session in configuration.sessions {
            do {
                _ = try await hub.createSession(id: session, mediaMode: .routed, isKept: true)
            } catch {
                throw ConfigurationError("session \"\(session)\": \(error.message)")
            }
        }
    }

    private func makeServices(
        _ service: StoreService?, _ collector: MetricCollector, _ gate: APIGate,
        _ certificates: Certificates?, _ directory: ClusterDirectory?
    ) async throws -> ServiceGroup {
        let intake = ObservedIntake(
            hub: hub, kinds: service?.kinds, proxy: directory.map(ObservedCallProxy.init))
        let router = try await makeRoutes(service, collector, gate, intake, directory)
        DashboardRoutes(files: WebFiles(directory: configuration.webDirectory), directory: directory)
            .add(to: router)
        OtherMethods.refuse(on: router)
        let application = Application(
            router: router, server: try await makeChannels(gate, intake, certificates, directory),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { [port, onReady] channel in
                guard let number = channel.localAddress?.port else { return }
                port.finish(returning: number)
                await onReady?(number)
            },
            logger: logger)
        // Shut down in reverse: clients are notified first, and their sockets close; then listening ends.
        return ServiceGroup(
            configuration: .init(
                services: [application, ShutdownNotifier(hub: hub, feed: feed)], logger: logger))
    }

    /// Paths and methods of the HTTP interface; for tests.
    func routes() async throws -> [(path: String, method: String)] {
        let collector = MetricCollector(
            build: configuration.build, hub: hub, service: nil, feed: feed, alerts: nil, exporter: nil,
            figures: metrics, connections: connections)
        let intake = ObservedIntake(hub: hub, kinds: nil, proxy: nil)
        return try await makeRoutes(nil, collector, try await makeGate(nil), intake, nil).routes.map {
            ($0.path.description, $0.method.rawValue)
        }
    }

    private func makeTokens() async throws(ConfigurationError) -> APITokens {
        try await APITokens(
            applicationID: configuration.applicationID, applicationSecret: configuration.applicationSecret)
    }

    private func makeGate(_ service: StoreService?) async throws(ConfigurationError) -> APIGate {
        let credentials = BasicCredentials(
            name: configuration.applicationID, password: configuration.applicationSecret)
        let tokens = try await makeTokens()
        if let token = configuration.metricsToken { try ConfigurationError.check(metricsToken: token) }
        let revoked = RevokedTokens(limit: configuration.limits.revokedTokens, file: service?.refusedTokens)
        do { try await revoked.load() } catch {
            throw ConfigurationError("the list of revoked tokens cannot be read: \(error)")
        }
        return APIGate(
            tokens: tokens, credentials: credentials, metricsToken: configuration.metricsToken,
            revoked: revoked, policy: policy)
    }

    private func makeRoutes(
        _ service: StoreService?, _ collector: MetricCollector, _ gate: APIGate, _ intake: ObservedIntake,
        _ directory: ClusterDirectory?
    ) async throws(ConfigurationError) -> Router<BasicRequestContext> {
        let issuer = await TokenIssuer(
            applicationID: configuration.applicationID, applicationSecret: configuration.applicationSecret)
        let router = SessionRoutes(
            hub: hub, kinds: service?.kinds, issuer: issuer, gate: gate, policy: policy,
            connections: connections, limits: configuration.limits, directory: directory
        ).router(metrics)
        NetworkRoutes(
            hub: hub, gate: gate, isAllowed: configuration.allowsNetworkEmulation,
            clients: configuration.clientNetworks, bodyBytes: configuration.limits.bodyBytes
        ).add(to: router)
        RouterRoutes(hub: hub, gate: gate, bodyBytes: configuration.limits.bodyBytes).add(to: router)
        ObservedRoutes(gate: gate, intake: intake, limits: configuration.limits).add(to: router)
        HistoryRoutes(
            gate: gate, hub: hub, service: service, feed: feed,
            metrics: collector, names: names, bodyBytes: configuration.limits.bodyBytes,
            turns: HistoryTurns(configuration.limits, configuration.timeouts)
        ).add(to: router)
        return router
    }

    private func makeChannels(
        _ gate: APIGate, _ intake: ObservedIntake, _ certificates: Certificates?,
        _ directory: ClusterDirectory?
    ) async throws -> HTTPServerBuilder {
        let verifier = try await TokenVerifier(
            applicationID: configuration.applicationID, applicationSecret: configuration.applicationSecret)
        let sockets = SocketUsers(
            hub: hub, verifier: verifier,
            observers: ObserverSockets(hub: hub, gate: gate, intake: intake, limits: configuration.limits),
            timeouts: configuration.timeouts, directory: directory)
        let plain = HTTPServerBuilder { [connections, policy] responder in
            UpgradeChannel(responder: responder, sockets: sockets, gate: connections, policy: policy)
        }
        guard let certificates else { return plain }
        return try .tls(plain, tlsConfiguration: certificates.configuration())
    }
}

/// Notifies the clients when shutdown begins.
private struct ShutdownNotifier: Service {
    let hub: ServerHub
    let feed: LiveFeed

    func run() async throws {
        try? await gracefulShutdown()
        feed.close()
        await hub.handle(.shutdown)
    }
}
