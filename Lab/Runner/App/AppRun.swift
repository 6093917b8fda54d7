// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import LabScoring
import LineEmulation
import MediaEngine

/// Makes one call of an app over emulated lines, with a server beside it that observes.
struct AppRun {
    let profile: AccessProfile
    let clients: [(name: String, command: String)]
    /// The app's own server.
    let server: String?
    let seconds: Int
    let seed: UInt64
    /// The sightline program.
    let program: String
    let folder: String

    /// What a call is kept in.
    static let record = "call.json"
    private static let port = 8080
    private static let call = "app"

    /// Returns the call after it was kept.
    func run() async throws -> AppCall {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let call = try await withLines { network in
            for (index, client) in clients.enumerated() {
                let profile = index == 0 ? profile : .fibre
                let line = try network.addLine(
                    client.name, profile.conditions, seed: seed &* 16 &+ UInt64(index))
                for traffic in profile.crossTraffic { Task { try await line.carry(traffic) } }
            }
            return try await make(over: network)
        }
        try JSONEncoder().encode(call).write(to: URL(filePath: "\(folder)/\(Self.record)"))
        guard !call.samples.isEmpty else {
            throw LabFailure(
                description:
                    "nothing was reported of the call over \(profile.name): what the programs wrote is in \(folder)"
            )
        }
        return call
    }

    private func make(over network: LineNetwork) async throws -> AppCall {
        let access = LineAccess(
            network: network, program: program, secret: UUID().uuidString + UUID().uuidString)
        try access.server(port: Self.port, options: "--keep-names --allow-origin '*'")
            .start(writingTo: "\(folder)/observing")
        try await access.waitForServer(port: Self.port)
        if let server { try network.server.process(server).start(writingTo: "\(folder)/server") }
        let start = monotonicMicroseconds(), began = Date().timeIntervalSince1970 * 1000
        for line in network.lines { line.startLog(at: start) }
        for (client, line) in zip(clients, network.lines) {
            let environment = [
                "SERVER": line.serverAddress, "NAME": client.name, "CALL": Self.call,
                "OBSERVE": "http://\(line.serverAddress):\(Self.port)",
                "TOKEN": try access.observerToken(call: Self.call, participant: client.name),
            ]
            try line.client.process(client.command, environment: environment)
                .start(writingTo: "\(folder)/\(client.name)")
        }
        try await Task.sleep(for: .seconds(seconds))
        var call = AppCall(
            profile: profile.name, participants: clients.map(\.name), seconds: seconds, seed: seed)
        for line in network.lines {
            for direction in NetworkConditions.Direction.allCases {
                let log = line.takeLog(direction)
                call.punctuality += log.punctuality
                call.lines += log.seconds.map {
                    .init(participant: line.name, direction: direction == .up ? .uplink : .downlink, line: $0)
                }
            }
        }
        call.samples = try samples(access, since: began)
        return call
    }

    private func samples(_ access: LineAccess, since began: Double) throws -> [AppCall.Sample] {
        struct Body: Decodable { var samples: [Entry] }
        struct Entry: Decodable {
            var time: Double
            var flow: Flow
            var sample: StreamSample
        }
        struct Flow: Decodable {
            var connection: String
            var role: StreamRole
        }
        struct Summary: Decodable { var connections: [Connection] }
        struct Connection: Decodable {
            var connection: String
            var name: String?
        }
        let summary = try access.answer("sessions/\(Self.call)", port: Self.port)
        // Nothing was reported of a call that is not there.
        guard let session = try? JSONDecoder().decode(Summary.self, from: summary) else { return [] }
        let names = Dictionary(session.connections.map { ($0.connection, $0.name) }) { $1 }
        let data = try access.samples(Self.call, port: Self.port)
        return try JSONDecoder().decode(Body.self, from: data).samples.compactMap { entry in
            guard let name = names[entry.flow.connection] ?? nil else { return nil }
            return .init(
                participant: name, role: entry.flow.role, time: (entry.time - began) / 1000,
                sample: entry.sample)
        }
    }
}
