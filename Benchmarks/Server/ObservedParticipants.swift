// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SessionServer
import Synchronization

/// What a server takes for many participants of observed calls who report each two seconds, by the HTTP that pages use: a
/// server of its own process with its store in a file, and this one with a connection for each participant.
enum ObservedParticipants {
    /// Makes this program that server; the store's file follows.
    static let serverWord = "--observing-server"
    private static let application = "bench"
    private static let secret = "a secret of the benchmarks, long enough"
    private static let participants = 2000
    private static let interval: Duration = .seconds(2)
    /// Everyone comes in, and the first reports are whole.
    private static let beginning = 10
    /// Rounds that are measured: a minute.
    private static let rounds = 30

    static func serve(store path: String) async throws {
        BenchServer.raiseDescriptorLimit()
        var configuration = SessionServerConfiguration(applicationID: application, applicationSecret: secret)
        configuration.port = 0
        configuration.limits.openConnectionsPerAddress = nil
        configuration.store = SessionServerConfiguration.Store(path: path)
        try await BenchServer.serve(configuration)
    }

    static func rows() async throws -> [Row] {
        try await StoredCalls.inFolder { folder in
            BenchServer.raiseDescriptorLimit()
            let server = try BenchServer(serverWord, folder.appending(path: "calls.sqlite").path)
            defer { server.end() }
            let port = server.port
            let empty = try await server.settledKilobytes()
            let tokens = try await APITokens(applicationID: application, applicationSecret: secret)
            let pages: [Page] = try await withThrowingTaskGroup(of: Page.self) { group in
                for number in 0..<participants {
                    group.addTask {
                        let observer = ObserverDescription(
                            call: "call \(number / 2)", participant: "participant \(number % 2)")
                        let token = try await tokens.token([.observe], observer: observer).token
                        return try await Page(number: number, port: port, token: token)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            _ = try await run(pages, rounds: 0..<beginning)
            let (cpu, time) = (try server.cpuSeconds(), ContinuousClock.now)
            let outcome = try await run(pages, rounds: beginning..<beginning + rounds)
            let seconds = (ContinuousClock.now - time).seconds
            let used = try server.cpuSeconds() - cpu
            let size = try server.kilobytes()
            for page in pages { page.close() }
            guard outcome.refused == 0 else {
                throw BenchServer.Failure(
                    description: "\(outcome.refused) of \(outcome.times.count) reports were refused")
            }
            let times = outcome.times.sorted()
            func quantile(_ share: Double) -> Double { times[Int(Double(times.count - 1) * share)] }
            let name = "\(participants) observed participants, a report each 2 s"
            return [
                Row(name: "\(name): CPU per second", used / seconds * 1000, .milliseconds, goal: 1000),
                Row(
                    name: "  memory per participant", (size - empty) / Double(participants), .kilobytes,
                    goal: 300),
                Row(name: "  acknowledged, p50", quantile(0.5), .milliseconds),
                Row(name: "  acknowledged, p99", quantile(0.99), .milliseconds, goal: 500),
                Row(name: "  reports taken", Double(times.count) / seconds, .perSecond, goal: 950),
                Row(name: "  bytes of one report", Double(pages[0].body(1).utf8.count) / 1000, .kilobytes),
            ]
        }
    }

    private struct Outcome {
        /// From the first byte of a request to the last of its answer, ms.
        var times: [Double] = []
        var refused = 0
    }

    /// Has everyone report in each round, each at a time of its own in it.
    private static func run(_ pages: [Page], rounds: Range<Int>) async throws -> Outcome {
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Outcome.self) { group in
            for (index, page) in pages.enumerated() {
                group.addTask {
                    var outcome = Outcome()
                    let shift = interval * Double(index) / Double(pages.count)
                    for round in rounds {
                        let due = start + interval * (round - rounds.lowerBound) + shift
                        try await Task.sleep(until: due, clock: .continuous)
                        let sent = ContinuousClock.now
                        let status = try await page.report(round)
                        outcome.times.append((ContinuousClock.now - sent).milliseconds)
                        if status != 200 { outcome.refused += 1 }
                    }
                    return outcome
                }
            }
            return try await group.reduce(into: Outcome()) { all, one in
                all.times += one.times
                all.refused += one.refused
            }
        }
    }
}

/// A participant's page: one connection, and reports of a peer connection that sends and receives audio and video.
private final class Page: Sendable {
    private let number: Int
    private let channel: any Channel
    private let headers: HTTPHeaders
    private let path: String

    init(number: Int, port: Int, token: String) async throws {
        self.number = number
        path = "/v1/calls/call%20\(number / 2)/reports"
        headers = [
            "Host": "localhost", "Authorization": "Bearer \(token)", "Content-Type": "application/json",
        ]
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(Answers())
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    func close() { channel.close(promise: nil) }

    /// Sends a round's report, and gives the status of its answer.
    func report(_ round: Int) async throws -> UInt {
        let body = body(round)
        var headers = headers
        headers.add(name: "Content-Length", value: "\(body.utf8.count)")
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: path, headers: headers)
        return try await withCheckedThrowingContinuation { continuation in
            channel.pipeline.handler(type: Answers.self).whenComplete { [channel] found in
                guard case .success(let answers) = found, channel.isActive else {
                    let failure = BenchServer.Failure(description: "the server closed a connection")
                    return continuation.resume(throwing: failure)
                }
                answers.wait(continuation)
                channel.write(HTTPClientRequestPart.head(head), promise: nil)
                channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil)
                channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            }
        }
    }

    /// What browsers say of such a peer connection, as far as `observe.js` sends it, and whole.
    func body(_ round: Int) -> String {
        let report = WrittenReport(seconds: 2 * (round + 1), number: number)
        let entries = report.sending + report.receiving(from: number ^ 1) + report.connection
        return
            #"{"client":"sightline-bench","reports":[{"peerConnection":"main","time":\#(report.time),"report":[\#(entries.joined(separator: ","))]}]}"#
    }
}

/// Gives whoever waits the status of the next answer.
private final class Answers: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTPClientResponsePart

    private struct State {
        var waiting: CheckedContinuation<UInt, any Error>?
        var status: UInt = 0
    }

    private let state = Mutex(State())

    func wait(_ continuation: CheckedContinuation<UInt, any Error>) {
        state.withLock { $0.waiting = continuation }
    }

    func channelRead(context _: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): state.withLock { $0.status = head.status.code }
        case .body: break
        case .end:
            let (waiting, status) = take()
            waiting?.resume(returning: status)
        }
    }

    func channelInactive(context _: ChannelHandlerContext) {
        take().waiting?.resume(throwing: BenchServer.Failure(description: "the server closed a connection"))
    }

    private func take() -> (waiting: CheckedContinuation<UInt, any Error>?, status: UInt) {
        state.withLock { state in
            defer { state.waiting = nil }
            return (state.waiting, state.status)
        }
    }
}
