// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine

/// An access line: a client's namespace, joined to the server's by a link model for each direction.
///
/// It carries everything that the client sends and receives, with the kernel's own TCP at both ends.
package final class Line: Sendable {
    package let name: String
    /// The client's end of the line.
    package let client: NetworkNamespace
    /// The server's end.
    package let server: NetworkNamespace
    /// The server's address as the client sees it.
    package let serverAddress: String
    /// The client's address.
    package let clientAddress: String

    private let up: LinkForwarder
    private let down: LinkForwarder
    private let tuns: [Int32]

    /// Makes a client's namespace and its line to the server, the one with that number in its network.
    init(_ name: String, number: Int, to server: NetworkNamespace, network: Int, seed: UInt64) throws {
        self.name = name
        self.server = server
        serverAddress = "10.77.\(number).1"
        clientAddress = "10.77.\(number).2"
        client = try NetworkNamespace(name, network: network)
        var opened: [Int32] = []
        do {
            // Named as wired networks are: clients take other names for a VPN, and treat it differently.
            opened.append(try client.openTun("eth0"))
            opened.append(try server.openTun("eth\(number)"))
            try Self.configure(client, "eth0", clientAddress)
            try Self.configure(server, "eth\(number)", serverAddress)
            try client.ip("route", "add", "default", "via", serverAddress)
        } catch {
            opened.forEach { close($0) }
            client.remove()
            throw error
        }
        up = LinkForwarder(from: opened[0], to: opened[1], seed: seed &* 2, name: "\(name)-up")
        down = LinkForwarder(from: opened[1], to: opened[0], seed: seed &* 2 &+ 1, name: "\(name)-down")
        tuns = opened
    }

    private static func configure(_ namespace: NetworkNamespace, _ device: String, _ address: String) throws {
        try namespace.ip("addr", "add", address + "/30", "dev", device)
        // Never the device's own queue, only that of the link model.
        try namespace.ip("link", "set", device, "txqueuelen", "10000", "up")
    }

    /// Applies to packets from now on.
    package func set(_ conditions: NetworkConditions, carriesTCP: Bool = true) {
        up.set(conditions.up, carriesTCP: carriesTCP)
        down.set(conditions.down, carriesTCP: carriesTCP)
    }

    /// Does what a schedule says, until its end or the task's; `signaling` false cuts TCP.
    package func follow(_ schedule: ConditionSchedule) async throws {
        let clock = ContinuousClock(), start = clock.now
        for step in schedule.steps {
            try await clock.sleep(until: start + .seconds(step.time))
            set(step.conditions, carriesTCP: step.signaling)
        }
    }

    /// What a direction did so far.
    package func counters(_ direction: NetworkConditions.Direction) -> LineCounters {
        forwarder(direction).counters
    }

    /// What happened in each second of a direction, and how punctual that was.
    package typealias Log = (seconds: [LineSecond], punctuality: LinePunctuality)

    /// Begins to note each second of both directions, from the same moment on.
    package func startLog(at time: Int64 = monotonicMicroseconds()) {
        for direction in NetworkConditions.Direction.allCases { forwarder(direction).startLog(at: time) }
    }

    /// Ends the notes of a direction.
    package func takeLog(_ direction: NetworkConditions.Direction) -> Log {
        forwarder(direction).takeLog(at: monotonicMicroseconds())
    }

    func forwarder(_ direction: NetworkConditions.Direction) -> LinkForwarder {
        direction == .up ? up : down
    }

    /// Ends the client's programs and takes the line down.
    func remove() {
        client.remove()
        up.stop()
        down.stop()
        tuns.forEach { close($0) }
    }
}
