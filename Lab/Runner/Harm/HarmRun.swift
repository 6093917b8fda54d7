// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import LabScoring
import LineEmulation
import MediaEngine

/// Measures one client on a poor uplink, observed and unobserved in turn.
struct HarmRun {
    let subject: LineHarm.Subject
    let line: LineWish
    let rounds: Int
    let part: Int
    let seed: UInt64
    /// The sightline program.
    let program: String
    let browserScript: String
    let ownCall: String
    let out: String

    private static let port = 8080
    private static let ownPort = 9000
    /// Seconds after a change that do not count: a first report is whole, and congestion control settles.
    private static let settling = 8
    /// Seconds of a native call that do not count.
    private static let nativeSettling = 20

    func run() async throws -> ObservingHarm {
        switch subject {
        case .native:
            ObservingHarm(name: "native publisher, telemetry", streams: 1, goal: 2, parts: try await native())
        case .chromium:
            ObservingHarm(
                name: "Chromium publishing in a session", streams: 1, goal: 6, parts: try await alternating())
        case .observed:
            ObservingHarm(
                name: "Chromium in a call of its own, observe.js", streams: 1, goal: 6,
                parts: try await alternating())
        }
    }

    /// A call for each part.
    private func native() async throws -> [ObservingHarm.Part] {
        var parts: [ObservingHarm.Part] = []
        for number in 0..<(2 * rounds) {
            let isObserved = number % 2 == 0
            let seconds = try await call("native\(number)", seconds: Self.nativeSettling + part) { access in
                let session = try await access.createSession(port: Self.port)
                let extra = isObserved ? "" : " --no-telemetry"
                return try [
                    ("client", "exec '\(program)' publish --name line \(options)\(extra)", "client"),
                    ("far", "exec '\(program)' subscribe --stream line \(options)", "far"),
                ].map { ($0.0, $0.1, try access.token(session, name: $0.2, port: Self.port)) }
            }
            parts.append(
                .init(isObserved: isObserved, seconds: Array(seconds.lines.dropFirst(Self.nativeSettling))))
        }
        return parts
    }

    private var options: String { "--url http://$SERVER:\(Self.port) --token $TOKEN --format json" }

    /// A call in which the browser is observed and unobserved in turn.
    private func alternating() async throws -> [ObservingHarm.Part] {
        let name = subject.rawValue
        // Joining, and congestion control's first search, take some of it.
        let length = 2 * rounds * part + 30
        let seconds = try await call(name, seconds: length) { access in
            subject == .observed ? try ownCommands(access) : try await sessionCommands(access)
        }
        return try Turns(contentsOf: "\(out)/\(name).client.jsonl").parts(seconds, settling: Self.settling)
    }

    private func sessionCommands(_ access: LineAccess) async throws -> [(String, String, String)] {
        let session = try await access.createSession(port: Self.port)
        let turns = turning(
            observed:
                "globalThis.own ? RTCPeerConnection.prototype.getStats = own : globalThis.own = RTCPeerConnection.prototype.getStats",
            unobserved: "RTCPeerConnection.prototype.getStats = () => Promise.reject(new Error())")
        return [
            (
                "client",
                "exec python3 '\(browserScript)' \(turns) http://$SERVER:\(Self.port) $TOKEN camera 3600",
                try access.token(session, name: "client", port: Self.port)
            ),
            (
                "far", "exec '\(program)' subscribe \(options)",
                try access.token(session, name: "far", port: Self.port)
            ),
        ]
    }

    private func ownCommands(_ access: LineAccess) throws -> [(String, String, String)] {
        try access.network.server.process("exec python3 '\(ownCall)' \(Self.ownPort)")
            .start(writingTo: "\(out)/own")
        let observe = "http://' + location.hostname + ':\(Self.port)"
        let turns = turning(
            observed: """
                import('\(observe)/web/observe/observe.js').then((it) => { globalThis.it = it; \
                it.start({ token: new URLSearchParams(location.hash.slice(1)).get('token'), wraps: false }); it.observe(connection); })
                """,
            unobserved: "globalThis.it?.stop()")
        let page = "http://$SERVER:\(Self.ownPort)/"
        return [
            (
                "client",
                "exec python3 '\(browserScript)' \(turns) --page \"\(page)?me=alice&peer=bob#token=$TOKEN\" 3600",
                try access.observerToken(call: "harm", participant: "alice")
            ),
            ("far", "exec python3 '\(browserScript)' --page \"\(page)?me=bob&peer=alice\" 3600", ""),
        ]
    }

    private func turning(observed: String, unobserved: String) -> String {
        "--alternate \(part) --one \(quoted(observed)) --other \(quoted(unobserved))"
    }

    /// As a word of the shell.
    private func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}

extension HarmRun {
    /// What the client's uplink did in a call.
    struct Uplink: Sendable {
        /// When the first second began, Unix seconds.
        var began: Double
        var lines: [LineSecond]
    }

    /// What a browser wrote of its turns.
    struct Turns {
        private struct Entry: Decodable {
            var time: Double
            var turn: Int?
        }

        private let entries: [Entry]

        init(contentsOf path: String) throws {
            entries = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap {
                try? JSONDecoder().decode(Entry.self, from: Data($0.utf8))
            }
        }

        /// The parts of a call, without the seconds in which each settles; the first turn is the observed one.
        func parts(_ uplink: Uplink, settling: Int) -> [ObservingHarm.Part] {
            var found: [(turn: Int, seconds: [LineSecond])] = []
            for line in uplink.lines {
                let end = uplink.began + Double(line.second + 1)
                guard let turn = entries.last(where: { $0.time <= end })?.turn else { continue }
                if found.last?.turn != turn { found.append((turn, [])) }
                found[found.count - 1].seconds.append(line)
            }
            return found.map { part in
                .init(isObserved: part.turn == 0, seconds: Array(part.seconds.dropFirst(settling).dropLast()))
            }
        }
    }

    /// Makes a call with some programs: the name of each's line, its command, and its token.
    private func call(
        _ name: String, seconds: Int,
        _ commands: @escaping @Sendable (LineAccess) async throws -> [(String, String, String)]
    ) async throws -> Uplink {
        try await withLines { network in
            let near = try network.addLine("client", line.conditions, seed: seed)
            let far = try network.addLine("far", AccessProfile.fibre.conditions, seed: seed &+ 1)
            let access = LineAccess(
                network: network, program: program, secret: UUID().uuidString + UUID().uuidString)
            try access.server(port: Self.port, options: "--allow-origin '*'").start(
                writingTo: "\(out)/\(name).server")
            try await access.waitForServer(port: Self.port)
            let programs = try await commands(access)
            let began = Date().timeIntervalSince1970
            near.startLog()
            for (end, command, token) in programs {
                let line = end == "client" ? near : far
                let process = line.client.process(
                    command, environment: ["SERVER": line.serverAddress, "TOKEN": token])
                try process.start(writingTo: "\(out)/\(name).\(end)")
            }
            try await Task.sleep(for: .seconds(seconds))
            return Uplink(began: began, lines: near.takeLog(.up).seconds)
        }
    }
}
