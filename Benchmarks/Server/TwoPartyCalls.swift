// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import NIOSignaling
import SessionServer
import SessionWire
import Sightline

/// What a server takes for calls of two whose clients send telemetry once a second, as the SDK does: from the message on the
/// wire by WebSocket, JSON, core and store to the acknowledgement on the wire.
///
/// The server and its router are processes of their own; the router is one without media, which reports each leg once a
/// second. In each call both publish, and subscribe to each other: four legs, of which client and router send a sample each a
/// second. The load is on the same machine, and its latency counts from when a message is due.
enum TwoPartyCalls {
    /// Makes this program that server; the arguments of ``serve(_:)`` follow.
    static let serverWord = "--calls-server"
    private static let application = "bench"
    private static let secret = "a secret of the benchmarks, long enough"
    /// How many calls there are at one server: as many as two cores carry with their load; `CALLS` in the environment has
    /// another number.
    private static let sizes = numbers("CALLS").map { [$0[0]] } ?? [100, 250]
    /// How many servers share a PostgreSQL, and the calls at each; `NODES` (`1,2,4,8`) and `CALLS` have other numbers.
    private static let (nodes, callsPerNode) = (numbers("NODES") ?? [1, 2, 4], numbers("CALLS")?[0] ?? 50)
    /// What the design wants to know of both.
    private static let (wantedNodes, wantedCallsPerNode) = ([1, 2, 4, 8], 100)
    /// By how much a call may cost more at several servers than at the fewest.
    private static let growth = 1.1
    /// Calls that begin at once.
    private static let beginning = 50
    private static let settling = 10
    /// Rounds of a second each that are measured: the store puts each minute together once.
    private static let rounds = 60

    /// Is that server until standard input ends, with a number of calls, as the node of a name; the store is a file, or the
    /// PostgreSQL of a cluster.
    static func serve(_ arguments: [String]) async throws {
        guard arguments.count == 3, let calls = Int(arguments[0]) else {
            throw BenchServer.Failure(description: "calls, node and store are missing")
        }
        let (node, store) = (arguments[1], arguments[2])
        BenchServer.raiseDescriptorLimit()
        var configuration = SessionServerConfiguration(
            applicationID: application, applicationSecret: secret,
            router: .init(executable: BenchServer.program, arguments: [StandInRouter.word]))
        configuration.port = 0
        configuration.limits.openConnectionsPerAddress = nil
        configuration.limits.routerLegs = 4 * calls
        configuration.sessions = (0..<calls).map { name($0, at: node) }
        configuration.store = SessionServerConfiguration.Store(path: store)
        if store.contains("=") || store.contains("://") {
            configuration.port = try BenchServer.unusedPort()
            configuration.store?.path = nil
            configuration.store?.cluster = .init(
                address: store, node: node, route: .init(url: "http://127.0.0.1:\(configuration.port)"))
        }
        try await BenchServer.serve(configuration)
    }

    /// Numbers of the environment, separated by commas; `nil` if there are none.
    private static func numbers(_ variable: String) -> [Int]? {
        let text = ProcessInfo.processInfo.environment[variable] ?? ""
        let numbers = text.split(separator: ",").compactMap { Int($0) }
        return numbers.isEmpty ? nil : numbers
    }

    private static func name(_ call: Int, at node: String) -> String { "\(node)-call\(call)" }

    /// At one server, with its store in a file.
    static func rows() async throws -> [Row] {
        var rows: [Row] = []
        for calls in sizes {
            let outcome = try await StoredCalls.inFolder { folder in
                try await measure(nodes: 1, calls: calls, store: folder.appending(path: "calls.sqlite").path)
            }
            rows += [
                Row(
                    name: "\(calls) calls of two, telemetry and router: CPU per second", outcome.cpu * 1000,
                    .milliseconds, goal: Double(calls)),
                Row(name: "  samples taken per CPU second", Double(8 * calls) / outcome.cpu, .perSecond),
                Row(name: "  acknowledged, p50", outcome.quantile(0.5), .milliseconds),
                Row(name: "  acknowledged, p99", outcome.quantile(0.99), .milliseconds, goal: 600),
                Row(name: "  memory per call", outcome.kilobytes / Double(calls), .kilobytes),
            ]
        }
        return rows
    }

    /// At ever more servers of a cluster, and its PostgreSQL.
    ///
    /// - Parameter postgres: CPU seconds of PostgreSQL so far; `nil` if it is on another machine.
    static func nodeRows(_ address: String, _ postgres: () -> Double?) async throws -> [Row] {
        var rows: [Row] = []
        var least: (cpu: Double, cpuBeside: Double?)?
        for nodes in nodes {
            let calls = nodes * callsPerNode
            let outcome = try await measure(
                nodes: nodes, calls: callsPerNode, store: address, beside: postgres)
            func perCall(_ cpu: Double) -> Double { cpu / Double(calls) * 1_000_000 }
            let (cpu, cpuBeside) = (perCall(outcome.cpu), outcome.cpuBeside.map(perCall))
            rows.append(
                Row(
                    name: "\(nodes) nodes, \(calls) calls of two: CPU per call and second", microseconds: cpu,
                    goal: least.map { $0.cpu * growth }))
            if let cpuBeside {
                rows.append(
                    Row(
                        name: "  of PostgreSQL", microseconds: cpuBeside,
                        goal: least?.cpuBeside.map { $0 * growth }))
            }
            rows.append(
                Row(name: "  acknowledged, p99", outcome.quantile(0.99), .milliseconds, goal: 600))
            least = least ?? (cpu, cpuBeside)
        }
        return rows + [notRun]
    }

    /// Says which sizes of the design are not among those above.
    private static var notRun: Row {
        let sizes = wantedNodes.filter { callsPerNode < wantedCallsPerNode || !nodes.contains($0) }
            .map { "\($0 * wantedCallsPerNode) calls at \($0)" }
        let parts = sizes + ["64 nodes that place 10,000 sessions in PostgreSQL"]
        return Row(note: "  not run: \(parts.joined(separator: ", "))")
    }

    private struct Outcome {
        /// CPU seconds a second of all servers, without their routers.
        var cpu: Double
        /// Of what is measured beside them.
        var cpuBeside: Double?
        /// How long messages waited for their acknowledgement, ms, in order.
        var times: [Double]
        /// What the calls take of the servers' memory.
        var kilobytes: Double

        func quantile(_ share: Double) -> Double { times[Int(Double(times.count - 1) * share)] }
    }

    private static func measure(
        nodes: Int, calls: Int, store: String, beside: () -> Double? = { nil }
    ) async throws -> Outcome {
        BenchServer.raiseDescriptorLimit()
        let servers = try (0..<nodes).map { number in
            try BenchServer(serverWord, "\(calls)", "n\(number)", store)
        }
        defer { for server in servers { server.end() } }
        var empty = 0.0
        for server in servers { empty += try await server.settledKilobytes() }
        var clients: [CallClient] = []
        for (number, server) in servers.enumerated() {
            clients += try await join(calls, at: "n\(number)", port: server.port)
        }
        _ = try await run(clients, 0..<settling)
        let (cpu, other, time) = (try sum(servers) { try $0.cpuSeconds() }, beside(), ContinuousClock.now)
        let reports = await facts(clients)
        let times = try await run(clients, settling..<settling + rounds).sorted()
        let seconds = (ContinuousClock.now - time).seconds
        let used = (try sum(servers) { try $0.cpuSeconds() } - cpu) / seconds
        let usedBeside = other.flatMap { before in beside().map { ($0 - before) / seconds } }
        let size = try sum(servers) { try $0.kilobytes() }
        let taken = await facts(clients) - reports
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.channel.close() } }
        }
        // Else less was taken than the figures say.
        guard Double(taken) > 0.9 * Double(2 * clients.count * rounds), seconds < Double(rounds) + 2 else {
            throw BenchServer.Failure(
                description:
                    "\(taken) router reports came back in \(seconds) s: this machine is too slow for it")
        }
        return Outcome(cpu: used, cpuBeside: usedBeside, times: times, kilobytes: size - empty)
    }

    /// How many of the router's reports the clients have been notified of.
    private static func facts(_ clients: [CallClient]) async -> Int {
        var count = 0
        for client in clients { count += await client.facts }
        return count
    }

    private static func sum(_ servers: [BenchServer], _ figure: (BenchServer) throws -> Double) rethrows
        -> Double
    {
        try servers.reduce(0) { $0 + (try figure($1)) }
    }

    private static func join(_ calls: Int, at node: String, port: Int) async throws -> [CallClient] {
        let issuer = await TokenIssuer(applicationID: application, applicationSecret: secret)
        var clients: [CallClient] = []
        for first in stride(from: 0, to: calls, by: beginning) {
            clients += try await withThrowingTaskGroup(of: [CallClient].self) { group in
                for call in first..<min(first + beginning, calls) {
                    group.addTask {
                        var pair: [CallClient] = []
                        for _ in 0..<2 {
                            let token = try await issuer.token(
                                session: name(call, at: node), role: .publisher
                            ).token
                            pair.append(try await CallClient(port: port, token: token))
                        }
                        try await pair[0].subscribe(to: pair[1].stream)
                        try await pair[1].subscribe(to: pair[0].stream)
                        return pair
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }
        return clients
    }

    /// Has everyone send in each round, each leg at a time of its own in it; how long after that each message was
    /// acknowledged, ms.
    private static func run(_ clients: [CallClient], _ rounds: Range<Int>) async throws -> [Double] {
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: [Double].self) { group in
            for (index, client) in clients.enumerated() {
                group.addTask {
                    let shift = Duration.seconds(0.5) * (Double(index) / Double(clients.count))
                    var times: [Double] = []
                    for round in rounds {
                        for (half, leg) in CallClient.legs.enumerated() {
                            let due =
                                start + .seconds(round - rounds.lowerBound) + .seconds(0.5) * half + shift
                            try await Task.sleep(until: due, clock: .continuous)
                            try await client.report(round, of: leg)
                            times.append((ContinuousClock.now - due).milliseconds)
                        }
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}

/// One of the two in a call.
private actor CallClient {
    /// What it publishes, and what it subscribes to.
    private static let (publisher, subscriber): (LegName, LegName) = ("p", "s")
    static let legs = [publisher, subscriber]

    nonisolated let channel: any SignalingChannel
    /// What it publishes.
    nonisolated let stream: String
    private var messages: AsyncThrowingStream<String, any Error>.AsyncIterator
    private var writer = TelemetryWriter()
    private var sent = 0
    private var received = 0
    /// How many metrics of the server have come.
    private(set) var facts = 0

    /// Joins and publishes.
    init(port: Int, token: String) async throws {
        channel = try await NIOSignalingTransport().open(SignalingAddress("ws://127.0.0.1:\(port)"))
        var messages = channel.messages.makeAsyncIterator()
        let join = ClientMessage(id: 1, .join(.init(token: token, resumable: true)))
        let publish = ClientMessage(
            id: 2, seq: 1,
            .publish(
                .init(
                    leg: Self.publisher, content: .init(hasAudio: true, hasVideo: true), offer: "offer")))
        for message in [join, publish] {
            try await channel.send(String(decoding: try message.json(), as: UTF8.self))
        }
        var stream: String?
        while stream == nil {
            guard let text = try await messages.next() else {
                throw BenchServer.Failure(description: "the server closed a socket")
            }
            let message = try ServerMessage(json: text.utf8)
            received = message.seq ?? received
            switch message.body {
            case .published(let published): stream = published.stream.id
            case .error(let error): throw BenchServer.Failure(description: error.message)
            default: break
            }
        }
        self.stream = stream ?? ""
        self.messages = messages
        sent = 2
    }

    func subscribe(to stream: String) async throws {
        try await ask(.subscribe(.init(leg: Self.subscriber, stream: stream, offer: "offer")))
    }

    /// Sends a second's sample of a leg, and returns when it is acknowledged.
    func report(_ second: Int, of leg: LegName) async throws {
        let event = TelemetryEvent(
            eventId: "\(leg)\(second)", capturedAt: (Date().timeIntervalSince1970 * 1000).rounded(), leg: leg,
            sample: StoredCalls.sample(second))
        try await ask(.telemetry(.init(events: [writer.write(event)])))
    }

    /// Sends a request, and returns when it is answered.
    private func ask(_ body: ClientMessage.Body) async throws {
        sent += 1
        let message = ClientMessage(id: sent, seq: sent - 1, received: received, body)
        try await channel.send(String(decoding: try message.json(), as: UTF8.self))
        let answer = "\"re\":\(sent)"
        while let text = try await next() {
            guard text.contains(answer) else { note(text); continue }
            let message = try ServerMessage(json: text.utf8)
            received = message.seq ?? received
            guard message.re == sent else { continue }
            if case .error(let error) = message.body { throw BenchServer.Failure(description: error.message) }
            return
        }
        throw BenchServer.Failure(description: "the server closed a socket")
    }

    /// Takes from a message that answers nothing what counts here, without reading it: numbers come first in those to many.
    private func note(_ text: String) {
        let head = "{\"seq\":"
        if text.hasPrefix(head) {
            received = Int(text.dropFirst(head.count).prefix { $0.isNumber }) ?? received
        }
        if text.contains("\"type\":\"facts\"") { facts += 1 }
    }

    private func next() async throws -> String? {
        // An iterator may not be waited for where it is; only one request is under way.
        var iterator = messages
        defer { messages = iterator }
        return try await iterator.next(isolation: self)
    }
}
