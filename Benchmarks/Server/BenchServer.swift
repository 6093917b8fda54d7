// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Logging
import NIOCore
import NIOPosix
import SessionServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A server in a process of its own, whose memory and CPU time are no one else's.
final class BenchServer {
    /// Why nothing could be measured.
    struct Failure: Error, CustomStringConvertible { var description: String }

    let port: Int
    private let process = Process()
    private let input = Pipe()

    /// Path of this program.
    static var program: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

    /// Starts this program as a server.
    ///
    /// - Parameter arguments: What makes it one, and which.
    init(_ arguments: String...) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Failure(description: "the server did not say its port")
        }
        self.port = port
    }

    /// Is such a server until standard input ends; says at which port.
    static func serve(_ configuration: SessionServerConfiguration) async throws {
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

    static func raiseDescriptorLimit() {
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

    /// A TCP port that no one listens at.
    static func unusedPort() throws -> Int {
        let channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).wait()
        defer { try? channel.close().wait() }
        return channel.localAddress?.port ?? 0
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

    /// Resident memory.
    func kilobytes() throws -> Double {
        let status = try String(
            contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let figure = line?.split(separator: " ").dropFirst().first, let size = Double(figure) else {
            throw Failure(description: "the server's memory cannot be read")
        }
        return size
    }

    /// CPU seconds of all of its threads so far.
    func cpuSeconds() throws -> Double {
        guard let times = ProcessTimes(process.processIdentifier) else {
            throw Failure(description: "the server's CPU time cannot be read")
        }
        return times.own
    }
}

/// What Linux says of a process.
struct ProcessTimes {
    let parent: Int32
    /// CPU seconds of its own.
    let own: Double
    /// CPU seconds of its children that have ended.
    let ended: Double

    /// `nil` if there is no such process.
    init?(_ process: Int32) {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
            return nil
        }
        // The program's name is in brackets, and may have spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ").map { Double($0) ?? 0 } ?? []
        guard fields.count > 14 else { return nil }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        parent = Int32(fields[1])
        own = (fields[11] + fields[12]) / ticks
        ended = (fields[13] + fields[14]) / ticks
    }

    /// CPU seconds so far of a process and all its children, such as PostgreSQL's.
    static func family(of process: Int32) -> Double? {
        guard let first = ProcessTimes(process) else { return nil }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let children = names.compactMap { Int32($0) }.compactMap { ProcessTimes($0) }.filter {
            $0.parent == process
        }
        return children.reduce(first.own + first.ended) { $0 + $1.own }
    }
}
