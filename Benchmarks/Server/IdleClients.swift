// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import Logging
import NIOSignaling
import SessionServer
import SessionWire
import Sightline

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What a server needs for clients that are in a session and do nothing: a server of its own process, and
/// this one full of clients.
enum IdleClients {
    /// Makes this program that server.
    static let serverWord = "--idle-server"
    private static let application = "bench"
    private static let secret = "a secret of the benchmarks, long enough"
    private static let perSession = 100
    /// Those who come first pay for what the first of anything costs.
    private static let first = 200
    private static let more = 2000

    /// Serves until standard input ends; says at which port.
    static func serve() async throws {
        raiseDescriptorLimit()
        var configuration = SessionServerConfiguration(applicationID: application, applicationSecret: secret)
        configuration.port = 0
        configuration.limits.openConnectionsPerAddress = nil
        configuration.sessions = (0..<(first + more) / perSession).map { "session\($0)" }
        let server = SightlineServer(
            configuration: configuration, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        ) { port in
            FileHandle.standardOutput.write(Data("\(port)\n".utf8))
        }
        let serving = Task { try await server.run() }
        await endOfInput()
        await server.shutdown()
        try await serving.value
    }

    private static func endOfInput() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while !FileHandle.standardInput.availableData.isEmpty {}
                continuation.resume()
            }
        }
    }

    /// Opens sockets to such a server, and looks at its memory.
    static func rows() async throws -> [Row] {
        raiseDescriptorLimit()
        let server = try Server()
        defer { server.end() }
        let issuer = await TokenIssuer(applicationID: application, applicationSecret: secret)
        var clients: [any SignalingChannel] = []
        var sizes: [Double] = []
        for total in [first, first + more] {
            while clients.count < total {
                let session = "session\(clients.count / perSession)"
                let token = try await issuer.token(session: session, role: .publisher).token
                clients.append(try await join(server.port, token))
                if clients.count.isMultiple(of: perSession) { try await confirm(clients.suffix(perSession)) }
            }
            sizes.append(try await server.settledKilobytes())
        }
        let row = Row(
            name: "memory of a server per idle client", (sizes[1] - sizes[0]) / Double(more), .kilobytes,
            goal: 20)
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.close() } }
        }
        return [row]
    }

    private static func join(_ port: Int, _ token: String) async throws -> any SignalingChannel {
        let channel = try await NIOSignalingTransport().open(SignalingAddress("ws://127.0.0.1:\(port)"))
        let join = ClientMessage(id: 1, .join(.init(token: token, resumable: true)))
        try await channel.send(String(decoding: try join.json(), as: UTF8.self))
        for try await text in channel.messages {
            if case .joined = try ServerMessage(json: text.utf8).body { return channel }
            break
        }
        throw Failure(description: "a client could not join")
    }

    /// Confirms what the clients of a session were sent, as clients do after a second: everyone who joined
    /// after them.
    private static func confirm(_ clients: ArraySlice<any SignalingChannel>) async throws {
        for (later, client) in clients.reversed().enumerated() {
            let message = ClientMessage(id: 0, .ack(.init(received: later)))
            try await client.send(String(decoding: try message.json(), as: UTF8.self))
        }
    }

    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        #if canImport(Glibc)
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let kind = RLIMIT_NOFILE
        #endif
        getrlimit(kind, &limit)
        limit.rlim_cur = min(limit.rlim_max, 10_000)
        setrlimit(kind, &limit)
    }

    /// Why nothing could be measured.
    struct Failure: Error, CustomStringConvertible { var description: String }

    /// The server's process.
    private final class Server {
        let port: Int
        private let process = Process()
        private let input = Pipe()

        init() throws {
            let output = Pipe()
            process.executableURL = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0])
            process.arguments = [IdleClients.serverWord]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw Failure(description: "the server did not say its port")
            }
            self.port = port
        }

        func end() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }

        /// Resident memory once it does not change any more.
        func settledKilobytes() async throws -> Double {
            var last = -1.0
            for _ in 0..<20 {
                try await Task.sleep(for: .seconds(1))
                let size = try kilobytes()
                if abs(size - last) < 64 { break }
                last = size
            }
            return try kilobytes()
        }

        private func kilobytes() throws -> Double {
            let status = try String(
                contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            guard let figure = line?.split(separator: " ").dropFirst().first, let size = Double(figure) else {
                throw Failure(description: "the server's memory cannot be read")
            }
            return size
        }
    }
}
