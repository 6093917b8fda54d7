// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import LabScoring
import LineEmulation
import MediaEngine

/// Makes one call over emulated access lines, with the product's own programs.
struct AccessRun {
    let plan: AccessPlan
    /// The sightline program.
    let program: String
    /// The script that steers a browser.
    let browserScript: String
    let folder: AccessFolder
    let commit: String
    /// How many calls run at a time, this one among them.
    let jobs: Int

    private static let port = 8080
    /// What the server's API has of the call.
    private static let stored = "samples.json"

    private var setup: AccessCall.Setup { plan.setup }

    /// Returns the call after it has written what it heard.
    func run() async throws -> AccessCall {
        try folder.create()
        if setup.kind.setting == .dtx {
            try QuietRoom.wav().write(to: URL(filePath: folder.path(QuietRoom.file)))
        }
        let (lines, punctuality, began) = try await withLines { network in
            let tasks = try addLines(to: network)
            defer { for task in tasks { task.cancel() } }
            return try await self.call(over: network)
        }
        let circumstances = AccessCall.Circumstances(
            commit: commit, build: program.contains("release") ? "release" : "debug", load: Self.load,
            jobs: jobs > 1 ? jobs : nil, began: began, punctuality: punctuality)
        var call = AccessCall(setup: setup, circumstances: circumstances, lines: lines)
        for end in setup.kind.ends {
            call.said += try client(of: end) == .native ? said(end, since: began) : stored(end, since: began)
        }
        try folder.write(call)
        return call
    }

    private func addLines(to network: LineNetwork) throws -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for (index, end) in setup.kind.ends.enumerated() {
            let isImpaired = end == setup.impaired
            let conditions = isImpaired ? plan.conditions : AccessProfile.fibre.conditions
            let line = try network.addLine(
                end.rawValue, conditions, seed: setup.seed &* 16 &+ UInt64(index))
            guard isImpaired else { continue }
            tasks += plan.crossTraffic.map { traffic in Task { try await line.carry(traffic) } }
            tasks.append(Task { try await change(line) })
        }
        return tasks
    }

    private func change(_ line: Line) async throws {
        let clock = ContinuousClock(), start = clock.now
        for change in plan.changes {
            try await clock.sleep(until: start + .seconds(change.time))
            line.set(change.conditions)
        }
    }

    private func call(over network: LineNetwork) async throws -> (
        [AccessCall.Second], LinePunctuality, Double
    ) {
        let access = LineAccess(
            network: network, program: program, secret: UUID().uuidString + UUID().uuidString)
        let server = access.server(port: Self.port)
        try server.start(writingTo: folder.path("server"))
        let session = try await access.createSession(port: Self.port)
        if setup.kind.client != .native { try access.keepReports(session, port: Self.port) }
        let clients = try network.lines.map { line in
            let token = try access.token(session, name: line.name, port: Self.port)
            let environment = ["SERVER": line.serverAddress, "SIGHTLINE_TOKEN": token]
            let end = AccessCall.End(rawValue: line.name) ?? .subscriber
            return (line, line.client.process(command(end), environment: environment))
        }
        let start = monotonicMicroseconds(), began = Date().timeIntervalSince1970 * 1000
        for line in network.lines { line.startLog(at: start) }
        for (line, process) in clients { try process.start(writingTo: folder.path(line.name)) }
        try await Task.sleep(for: .seconds(setup.seconds))
        var seconds: [AccessCall.Second] = [], punctuality = LinePunctuality()
        for line in network.lines {
            guard let end = AccessCall.End(rawValue: line.name) else { continue }
            for direction in NetworkConditions.Direction.allCases {
                let log = line.takeLog(direction)
                let name: NetworkDirection = direction == .up ? .uplink : .downlink
                seconds += log.seconds.map { AccessCall.Second(end, name, $0) }
                punctuality += log.punctuality
            }
        }
        if setup.kind.client != .native {
            try access.samples(session, port: Self.port).write(to: URL(filePath: folder.path(Self.stored)))
            for end in [AccessCall.End.publisher, .subscriber] where client(of: end) != .native {
                try access.recording(session, end.role, port: Self.port)
                    .write(to: URL(filePath: folder.path(AccessFolder.recording(end.rawValue))))
            }
        }
        // Interrupted, they end their part in order; what does not is ended with its namespace.
        for (_, process) in clients where process.isRunning { process.interrupt() }
        try await Task.sleep(for: .seconds(1))
        return (seconds, punctuality, began)
    }

    private func command(_ end: AccessCall.End) -> String {
        let url = "http://$SERVER:\(Self.port)"
        switch client(of: end) {
        case .native: break
        case .chromium, .firefox:
            let part = end == .publisher ? "camera" : "watch"
            let muted = setup.kind.setting == .muted && end == .publisher ? " --muted" : ""
            return "exec python3 '\(browserScript)' --browser \(client(of: end))\(muted) "
                + "\(url) $SIGHTLINE_TOKEN \(part) 3600"
        }
        let record = "--force --record '\(folder.path(AccessFolder.recording(end.rawValue)))'"
        let options = "--url \(url) --format json --interval \(setup.kind.interval) \(record)"
        guard end == .publisher else {
            let stream = setup.kind.client.publisher == .native ? " --stream line" : ""
            return "exec '\(program)' subscribe \(options)\(stream)"
        }
        return "exec '\(program)' publish --name line \(options)\(publisherOptions)"
    }

    private var publisherOptions: String {
        switch setup.kind.setting {
        case .standard, .twoSubscribers: ""
        case .senderStats: " --sender-stats"
        case .large: " --resolution 1280x720"
        case .muted: " --muted"
        case .dtx: " --dtx --audio '\(folder.path(QuietRoom.file))'"
        }
    }

    private func client(of end: AccessCall.End) -> AccessCall.Program {
        switch end {
        case .publisher: setup.kind.client.publisher
        case .subscriber: setup.kind.client.subscriber
        case .bystander: .native
        }
    }

    /// What a browser reported of its diagnoses to the server, by the time of its reports.
    private func stored(_ end: AccessCall.End, since began: Double) throws -> [AccessCall.Said] {
        struct Body: Decodable { var samples: [Entry] }
        struct Entry: Decodable {
            var time: Double
            var flow: Flow
            var observer: String
            var sample: StreamSample
        }
        struct Flow: Decodable { var role: String }
        let data = try Data(contentsOf: URL(filePath: folder.path(Self.stored)))
        return try JSONDecoder().decode(Body.self, from: data).samples.compactMap { entry in
            guard entry.flow.role == end.role.rawValue, entry.observer == "client" else { return nil }
            return entry.sample.diagnosis.map {
                AccessCall.Said(end, time: (entry.time - began) / 1000, $0)
            }
        }
    }

    /// What a client wrote of its diagnoses.
    private func said(_ end: AccessCall.End, since began: Double) throws -> [AccessCall.Said] {
        struct Line: Decodable {
            var time: Double
            var diagnosis: Diagnosis
        }
        let text = try String(contentsOfFile: folder.path(end.rawValue) + ".jsonl", encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            guard line.contains("\"judgement\""),
                let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8))
            else { return nil }
            return AccessCall.Said(end, time: (line.time - began) / 1000, line.diagnosis)
        }
    }

    /// Processes that wanted to run in the last minute.
    private static var load: Double? {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return text?.split(separator: " ").first.flatMap { Double($0) }
    }
}
