// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import SessionServer
import SessionWire
import Synchronization
import TestSupport

@testable import SightlineCLI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server in a process of its own, which can be killed and started again at the same address.
final class ServerProcess: Sendable {
    private static let application = "tests"

    let port: Int
    private let secret: String
    private let options: [String]
    private let environment: [String: String]
    private let process: Mutex<ChildProcess>
    private let issuer: TokenIssuer

    var url: String { "http://127.0.0.1:\(port)" }
    var application: String { Self.application }
    var applicationSecret: String { secret }
    private var address: URL {
        get throws { try URL(string: url) ?? { throw URLError(.badURL) }() }
    }

    /// - Parameters:
    ///   - options: Of `sightline serve`, beside its address.
    ///   - port: Of its address; 0 for any that is free.
    ///   - secret: The application's; a new one if `nil`.
    ///   - environment: Variables that it has besides.
    init(
        _ options: [String] = [], port wanted: Int = 0, secret: String? = nil,
        environment: [String: String] = [:]
    ) async throws {
        let secret = secret ?? UUID().uuidString + UUID().uuidString
        self.secret = secret
        self.options = options
        self.environment = environment
        let first = try Self.start(port: wanted, secret, options, environment)
        var found = wanted == 0 ? nil : wanted
        try await eventually("the server's address", within: .seconds(60)) {
            guard found == nil else { return first.errors.contains("listening on") }
            found =
                first.errors.split(separator: "\n").lazy
                .compactMap { $0.split(separator: ":").last.flatMap { Int($0) } }.first
            return found != nil
        }
        port = found ?? 0
        process = Mutex(first)
        issuer = await TokenIssuer(applicationID: Self.application, applicationSecret: secret)
        try await waitForRouter()
    }

    private static func start(
        port: Int, _ secret: String, _ options: [String], _ environment: [String: String]
    ) throws -> ChildProcess {
        try ChildProcess(
            BuiltProducts.sightline,
            [
                "serve", "--port", "\(port)", "--application-id", application, "--loopback-only",
                "--log-level",
                "error",
            ] + options, environment: environment.merging(["SIGHTLINE_SECRET": secret]) { $1 })
    }

    /// Creates a session.
    func createSession(mediaMode: MediaMode = .routed) async throws -> String {
        let api = ServerAPI(
            url: try address, applicationID: Self.application, secret: secret)
        return try await api.createSession(mediaMode: mediaMode).session
    }

    func token(_ session: String, _ role: TokenRole, _ name: String) async throws -> String {
        try await issuer.token(session: session, mediaMode: .routed, role: role, name: name).token
    }

    /// A token by which a participant of an observed call sends its reports.
    func observerToken(call: String, participant: String) async throws -> String {
        let tokens = try await APITokens(applicationID: Self.application, applicationSecret: secret)
        return try await tokens.token([.observe], observer: .init(call: call, participant: participant)).token
    }

    func apiToken(_ scopes: Set<APIScope>) async throws -> String {
        let tokens = try await APITokens(applicationID: Self.application, applicationSecret: secret)
        return try await tokens.token(scopes).token
    }

    /// What the HTTP API answers to someone who may read.
    func get<Answer: Decodable>(
        _ path: String, _: Answer.Type = Answer.self, _ scopes: Set<APIScope> = [.read]
    ) async throws -> Answer {
        let tokens = try await APITokens(applicationID: Self.application, applicationSecret: secret)
        guard let url = URL(string: "\(url)/\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url, timeoutInterval: 60)
        request.setValue(
            "Bearer \(try await tokens.token(scopes).token)", forHTTPHeaderField: "Authorization")
        return try JSONDecoder().decode(Answer.self, from: try await URLSession.shared.data(for: request).0)
    }

    /// What the HTTP API answers to the application.
    func send<Answer: Decodable>(
        _ method: String, _ path: String, _ body: some Encodable & Sendable, _: Answer.Type = Answer.self
    ) async throws -> Answer {
        guard let url = URL(string: "\(url)/\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url, timeoutInterval: 60)
        request.httpMethod = method
        request.httpBody = try JSONEncoder().encode(body)
        let credentials = Data("\(Self.application):\(secret)".utf8).base64EncodedString()
        request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return try JSONDecoder().decode(Answer.self, from: try await URLSession.shared.data(for: request).0)
    }

    /// Stops the server, which says nothing until it continues.
    func pause() { process.withLock { $0.send(signal: SIGSTOP) } }
    /// Has it continue.
    func resume() { process.withLock { $0.send(signal: SIGCONT) } }

    /// Asks it to end, as whoever looks after services does.
    func terminate() { process.withLock { $0.send(signal: SIGTERM) } }
    /// Whether it has not ended.
    var isRunning: Bool { process.withLock { $0.isRunning } }

    /// What it has logged.
    var errors: String { process.withLock { $0.errors } }

    /// Kills the server, as a crash would.
    func kill() { process.withLock { $0.send(signal: SIGKILL) } }

    /// Starts it again, at the same address; returns when it listens.
    func startAgain() async throws {
        let next = try Self.start(port: port, secret, options, environment)
        process.withLock { $0 = next }
        try await eventually("the server listens again", within: .seconds(60)) {
            next.errors.contains("listening on")
        }
    }

    /// Router processes of the program under test: all there are, or those that a process started.
    static func routers(of parent: Int32? = nil) -> Set<Int32> {
        let all = ProcessTable.processes { $0.hasPrefix("\(BuiltProducts.sightline.path) router") }
        return Set(all.filter { parent == nil || ProcessTable.parent(of: $0) == parent })
    }

    /// Kills the media router, which the server starts again.
    func killRouter() {
        let own = process.withLock { $0.identifier }
        for router in Self.routers(of: own) { Glibc.kill(router, SIGKILL) }
    }

    func waitForRouter() async throws {
        let health = try address.appending(path: "readyz")
        try await eventually("the media router", within: .seconds(60)) {
            guard let data = try? await URLSession.shared.data(from: health).0 else { return false }
            return (try? JSONDecoder().decode(Health.self, from: data))?.routerIsRunning == true
        }
    }

    func end() async throws {
        let process = process.withLock { $0 }
        process.send(signal: SIGTERM)
        _ = try await process.exitCode()
    }
}
