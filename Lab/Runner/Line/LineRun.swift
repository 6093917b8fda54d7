// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation
import LineEmulation
import MediaEngine

/// Runs programs at both ends of emulated lines.
struct LineRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs programs in the namespaces of a server and of clients on emulated lines.",
        discussion: """
            sightline-lab line run --line alice=dsl --line bob=fibre \\
                --in server='python3 -m http.server 8080' --in alice='sleep 1; curl http://$SERVER:8080/'

            Programs are started in the order in which they are given. A client finds the server's address in SERVER. It ends \
            with the clients' programs, after --duration, or by Ctrl-C, and prints what each line carried.
            """)

    @Option(
        help: ArgumentHelp(
            "A client and its line: a profile, or conditions such as up:rate=500;down:delay=30; may be repeated.",
            valueName: "name=line"))
    var line: [String]

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "A shell command to run in 'server' or at a client; may be repeated.", valueName: "name=command"))
    var commands: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file of JSON lines by which a line changes, as of --condition-schedule; may be repeated.",
            valueName: "name=file"))
    var schedule: [String] = []

    @Option(help: ArgumentHelp("Ends after this many seconds.", valueName: "seconds"))
    var duration: Double?

    @Option(help: "Equal seeds draw equal losses and jitter.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Where what each line carried goes as JSON.", valueName: "file"))
    var counters: String?

    func validate() throws {
        for text in line { _ = try LineWish(text) }
        for text in commands + schedule { _ = try Self.pair(text) }
        for text in schedule { _ = try Self.schedule(text) }
    }

    func run() async throws {
        let carried = try await withLines { network in
            var tasks: [Task<Void, any Error>] = []
            for (index, text) in line.enumerated() {
                let wish = try LineWish(text)
                let line = try network.addLine(wish.name, wish.conditions, seed: seed &+ UInt64(index))
                tasks += wish.crossTraffic.map { traffic in Task { try await line.carry(traffic) } }
            }
            for text in schedule {
                let (name, schedule) = try Self.schedule(text)
                let line = try Self.line(name, of: network)
                tasks.append(Task { try await line.follow(schedule) })
            }
            defer { for task in tasks { task.cancel() } }
            try await runCommands(in: network)
            return network.lines.map { CarriedTraffic($0) }
        }
        print(CarriedTraffic.table(carried), terminator: "")
        guard let counters else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try encoder.encode(carried).write(to: URL(filePath: counters))
    }

    private func runCommands(in network: LineNetwork) async throws {
        var clients: [Process] = []
        for text in commands {
            let (name, command) = try Self.pair(text)
            if name == "server" {
                try ProgramLaunch.start(network.server.process(command))
            } else {
                let line = try Self.line(name, of: network)
                let process = line.client.process(command, environment: ["SERVER": line.serverAddress])
                try ProgramLaunch.start(process)
                clients.append(process)
            }
        }
        let deadline = duration.map { ContinuousClock.now + .seconds($0) }
        while clients.isEmpty || clients.contains(where: \.isRunning) {
            if let deadline, ContinuousClock.now >= deadline { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private static func line(_ name: String, of network: LineNetwork) throws -> Line {
        guard let line = network.lines.first(where: { $0.name == name }) else {
            throw ValidationError("There is no line '\(name)'; say --line \(name)=dsl")
        }
        return line
    }

    private static func pair(_ text: String) throws -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw ValidationError("'\(text)' should be a name, '=', and what it gets.")
        }
        return (parts[0], parts[1])
    }

    private static func schedule(_ text: String) throws -> (String, ConditionSchedule) {
        let (name, path) = try pair(text)
        return (name, try ConditionSchedule(parsing: String(contentsOfFile: path, encoding: .utf8)))
    }
}

/// A line as it is asked for on the command line.
struct LineWish {
    let name: String
    let conditions: NetworkConditions
    let crossTraffic: [CrossTraffic]

    init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw ValidationError("'\(text)' should be a name and a profile, such as alice=dsl")
        }
        name = parts[0]
        if let profile = AccessProfile.named(parts[1]) {
            conditions = profile.conditions
            crossTraffic = profile.crossTraffic
        } else if parts[1].contains(":") {
            conditions = try NetworkConditions(parsing: parts[1])
            crossTraffic = []
        } else {
            let names = AccessProfile.choices.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no profile '\(parts[1])'; there are \(names).")
        }
    }
}

/// What a line has carried, by protocol, in IP bytes.
struct CarriedTraffic: Encodable {
    struct Direction: Encodable {
        var udp: Traffic
        var tcp: Traffic
        var other: Traffic
    }

    struct Traffic: Encodable {
        var offeredPackets, offeredBytes, deliveredPackets, deliveredBytes: Int
        var lostPackets, queueFullPackets, outagePackets: Int

        init(_ traffic: LineCounters.Traffic) {
            offeredPackets = traffic.offered.packets
            offeredBytes = traffic.offered.bytes
            deliveredPackets = traffic.delivered.packets
            deliveredBytes = traffic.delivered.bytes
            lostPackets = traffic.lost.packets
            queueFullPackets = traffic.queueFull.packets
            outagePackets = traffic.outage.packets
        }
    }

    var line: String
    var up: Direction
    var down: Direction

    init(_ line: Line) {
        self.line = line.name
        up = Direction(line.counters(.up))
        down = Direction(line.counters(.down))
    }

    static func table(_ lines: [CarriedTraffic]) -> String {
        let width = max(4, lines.map(\.line.count).max() ?? 0) + 2
        var text = "line".padded(width)
        text += "dir   protocol    packets        bytes  delivered    lost  queue  outage\n"
        for line in lines {
            for (name, direction) in [("up", line.up), ("down", line.down)] {
                for (kind, traffic) in [
                    ("udp", direction.udp), ("tcp", direction.tcp), ("other", direction.other),
                ] where traffic.offeredPackets > 0 {
                    let cells = [
                        line.line.padded(width), name.padded(6), kind.padded(8),
                        String(traffic.offeredPackets).padded(-11), String(traffic.offeredBytes).padded(-13),
                        String(traffic.deliveredBytes).padded(-11), String(traffic.lostPackets).padded(-8),
                        String(traffic.queueFullPackets).padded(-7), String(traffic.outagePackets).padded(-8),
                    ]
                    text += cells.joined() + "\n"
                }
            }
        }
        return text
    }
}

extension CarriedTraffic {
    /// Delivered kbit/s by protocol.
    static func rates(_ lines: [CarriedTraffic], over seconds: Double) -> String {
        lines.map { line in
            func rate(_ traffic: Traffic) -> String {
                "\(Int((Double(traffic.deliveredBytes) * 0.008 / seconds).rounded()))"
            }
            return "\(line.line): up \(rate(line.up.udp)) kbit/s UDP, \(rate(line.up.tcp)) TCP; "
                + "down \(rate(line.down.udp)) UDP, \(rate(line.down.tcp)) TCP\n"
        }.joined()
    }
}

extension CarriedTraffic.Direction {
    fileprivate init(_ counters: LineCounters) {
        self.init(
            udp: .init(counters.udp), tcp: .init(counters.tcp), other: .init(counters.other))
    }
}

extension String {
    /// Filled up with spaces; at the front if the width is negative.
    fileprivate func padded(_ width: Int) -> String {
        let space = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? space + self : self + space
    }
}
