// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLineSystem
import Foundation

/// A network namespace that this process made: a host with a network of its own.
package final class NetworkNamespace: Sendable {
    /// What it is called here, such as `alice`.
    package let name: String
    /// What the system calls it.
    package let fullName: String

    private static let prefix = "sightline-line"
    private static let folder = "/run/netns"

    var path: String { "\(Self.folder)/\(fullName)" }

    /// Makes one with its loopback interface up, and without IPv6.
    ///
    /// - Parameter network: The number of its network among those of this process, whose names are alike.
    init(_ name: String, network: Int) throws {
        self.name = name
        fullName = "\(Self.prefix)-\(try Owner.current.text)-\(network)-\(name)"
        try Tool.run("ip", "netns", "add", fullName)
        do {
            try Tool.run("ip", "-n", fullName, "link", "set", "lo", "up")
            // What the kernel sends by itself over IPv6 would take part in every draw of the link model.
            try set("net.ipv6.conf.all.disable_ipv6", "1")
            try set("net.ipv6.conf.default.disable_ipv6", "1")
        } catch {
            remove()
            throw error
        }
    }

    /// Sets a variable of the kernel in it.
    func set(_ variable: String, _ value: String) throws {
        let file = "/proc/sys/" + variable.replacing(".", with: "/")
        try Tool.run(
            "nsenter", "--net=\(path)", "sh", "-c", "test ! -e \(file) || echo \(value) > \(file)")
    }

    /// Configures its interfaces: `ip` with these arguments.
    func ip(_ arguments: String...) throws {
        try Tool.run(["ip", "-n", fullName] + arguments)
    }

    /// Makes a TUN device in it.
    func openTun(_ name: String) throws -> Int32 {
        let result = sl_line_open_tun(path, name)
        guard result >= 0 else { throw LineFailure("no TUN device in \(self.name)", result: result) }
        return result
    }

    /// Makes a socket in it.
    package func openSocket(type: Int32) throws -> Int32 {
        let result = sl_line_open_socket(path, AF_INET, type)
        guard result >= 0 else { throw LineFailure("no socket in \(name)", result: result) }
        return result
    }

    /// A shell command that runs in it, not yet started.
    package func process(_ command: String, environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["nsenter", "--net=\(path)", "sh", "-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        return process
    }

    /// Ends the programs in it, and removes it.
    func remove() {
        Self.remove(fullName)
    }

    private static func remove(_ fullName: String) {
        for signal in [SIGTERM, SIGKILL] {
            let running = programs(in: fullName)
            if running.isEmpty { break }
            for program in running { kill(program, signal) }
            waitForEnd(in: fullName)
        }
        _ = try? Tool.run("ip", "netns", "del", fullName)
    }

    private static func waitForEnd(in fullName: String) {
        for _ in 0..<30 where !programs(in: fullName).isEmpty { usleep(100_000) }
    }

    private static func programs(in fullName: String) -> [pid_t] {
        let text = (try? Tool.run("ip", "netns", "pids", fullName)) ?? ""
        return text.split(separator: "\n").compactMap { pid_t($0) }.filter { $0 != getpid() }
    }

    /// Removes what runs that did not end properly have left.
    static func removeStale() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(prefix + "-") {
            let parts = name.dropFirst(prefix.count + 1).split(separator: "-", maxSplits: 2)
            guard parts.count == 3, let pid = pid_t(parts[0]), let start = UInt64(parts[1]) else { continue }
            if !Owner(pid: pid, start: start).isRunning { remove(name) }
        }
    }
}

/// The process that made a namespace.
///
/// A number is given to another process some day; the time of its start tells them apart.
private struct Owner: Equatable {
    let pid: pid_t
    let start: UInt64

    var text: String { "\(pid)-\(start)" }
    var isRunning: Bool { Owner(pid: pid) == self }

    static var current: Owner {
        get throws {
            guard let owner = Owner(pid: getpid()) else { throw LineFailure("/proc cannot be read") }
            return owner
        }
    }

    init(pid: pid_t, start: UInt64) {
        self.pid = pid
        self.start = start
    }

    private init?(pid: pid_t) {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        // After the name, which may contain anything, the start is the twentieth field.
        let fields = text[end...].split(separator: " ")
        guard fields.count > 20, let start = UInt64(fields[20]) else { return nil }
        self.init(pid: pid, start: start)
    }
}
