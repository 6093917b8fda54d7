// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import RouterWire
import WebRTCStats

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A media router without media, which answers every offer and reports each leg once a second: what is measured beside it
/// is the server alone.
///
/// Its reports have neither layers nor what a subscriber is sent, so they cost a little less to read.
struct StandInRouter {
    /// Makes this program that router.
    static let word = "--stand-in-router"
    /// Parts of a second at which reports are sent, so that they do not come all at once.
    private static let parts = 50

    private struct Leg {
        /// Its report as a line, before and after the statistics.
        let line: (before: String, after: String)
        let role: StreamRole
        let number: Int
        var seconds = 0
    }

    private var reader = LineReader(limit: RouterProtocol.lineLimit)
    private var legs: [LegName: Leg] = [:]
    private var added = 0

    /// Serves until the socket at standard input ends.
    static func run() throws {
        var router = StandInRouter()
        try router.send([.ready(.init(processID: ProcessInfo.processInfo.processIdentifier))])
        let step = Duration.seconds(1) / parts
        var (part, due) = (0, ContinuousClock.now + step)
        while true {
            if ContinuousClock.now >= due {
                try router.report(part)
                (part, due) = ((part + 1) % parts, due + step)
            }
            guard try router.receive(within: max(.zero, due - .now)) else { return }
        }
    }

    /// Answers what comes; whether the socket is still open.
    private mutating func receive(within time: Duration) throws -> Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, Int32(time.milliseconds.rounded(.up))) > 0 else { return true }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { return false }
        for line in bytes.prefix(count).withUnsafeBytes({ reader.read($0) }) {
            guard case .complete(let line) = line else { continue }
            try take(RouterCommand(line: line))
        }
        return true
    }

    private mutating func take(_ command: RouterCommand) throws {
        switch command {
        case .add(let leg):
            let empty = LegReport(
                leg: leg.leg, kind: leg.kind, stream: leg.stream, stats: StatsReport(timestamp: 0), layers: []
            )
            let line = String(decoding: try RouterNotice.report(empty).line(), as: UTF8.self)
            guard let place = line.range(of: #""stats":["#) else { return }
            legs[leg.leg] = Leg(
                line: (String(line[..<place.upperBound]), String(line[place.upperBound...])), role: leg.kind,
                number: added)
            added += 1
            try send([
                .answer(.init(leg: leg.leg, answer: "answer")),
                .state(.init(leg: leg.leg, state: "connected")),
            ])
        case .offer(let leg): try send([.answer(.init(leg: leg.leg, answer: "answer"))])
        case .remove(let leg): legs[leg.leg] = nil
        case .candidate, .prefer, .saturate, .align, .emulate: break
        }
    }

    /// Reports the legs whose turn it is.
    private mutating func report(_ part: Int) throws {
        var lines: [UInt8] = []
        for name in legs.keys.filter({ (legs[$0]?.number ?? 0) % Self.parts == part }) {
            guard var leg = legs[name] else { continue }
            leg.seconds += 1
            legs[name] = leg
            let report = WrittenReport(seconds: leg.seconds, number: leg.number)
            // What a publisher sends the router receives.
            let entries =
                (leg.role == .publisher ? report.receiving(from: leg.number) : report.sending)
                + report.connection
            lines += (leg.line.before + entries.joined(separator: ",") + leg.line.after + "\n").utf8
        }
        try Self.send(lines)
    }

    private func send(_ notices: [RouterNotice]) throws {
        try Self.send(notices.flatMap { try $0.line() + [UInt8(ascii: "\n")] })
    }

    private static func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDIN_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else {
                throw BenchServer.Failure(description: "the server closed the router's socket")
            }
            rest = rest.dropFirst(count)
        }
    }
}
