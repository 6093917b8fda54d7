// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// What a process takes of the machine.
struct ProcessLoad: Sendable, Equatable {
    /// Processor time since it began, seconds.
    var processorSeconds: Double
    /// Memory in use, bytes.
    var residentBytes: Int64
    /// When it began, Unix seconds.
    var startedAt: Double

    /// Reads it from `/proc`; `nil` where there is none, and for a process that is gone.
    init?(process: Int32) {
        #if canImport(Glibc)
        guard let fields = Self.fields(of: "/proc/\(process)/stat"), fields.count > 21,
            let spent = Self.processorSeconds(in: fields),
            let start = Double(fields[19]), let pages = Int64(fields[21])
        else { return nil }
        processorSeconds = spent
        residentBytes =
            pages.multipliedReportingOverflow(by: Int64(sysconf(Int32(_SC_PAGESIZE)))).partialValue
        startedAt = Self.bootTime + start / Self.ticks
        #else
        return nil
        #endif
    }

    /// Processor time that each of a process's threads has taken since it began, seconds, by the thread's id.
    ///
    /// Threads that end meanwhile are omitted. Empty without `/proc`, and for a process that is gone.
    static func threads(of process: Int32) -> [Int32: Double] {
        #if canImport(Glibc)
        let folder = "/proc/\(process)/task"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var seconds: [Int32: Double] = [:]
        for thread in names.compactMap({ Int32($0) }) {
            guard let fields = Self.fields(of: "\(folder)/\(thread)/stat") else { continue }
            seconds[thread] = Self.processorSeconds(in: fields)
        }
        return seconds
        #else
        return [:]
        #endif
    }

    #if canImport(Glibc)
    /// What a `stat` has after the name, which may hold anything: the state is the first.
    private static func fields(of path: String) -> [Substring]? {
        guard let stat = try? String(contentsOfFile: path, encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return nil }
        return stat[stat.index(after: end)...].split(separator: " ")
    }

    /// The 14th and 15th of all fields: time in the program and in the kernel.
    private static func processorSeconds(in fields: [Substring]) -> Double? {
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            return nil
        }
        return (user + system) / ticks
    }

    /// Of the kernel's clock, per second.
    private static var ticks: Double { Double(max(1, sysconf(Int32(_SC_CLK_TCK)))) }
    #endif

    /// When the machine began, Unix seconds.
    private static let bootTime: Double = {
        let stat = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
        let line = stat.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst("btime ".count)) } ?? 0
    }()

    /// Descriptors that this process has open; `nil` where no one knows.
    static var openDescriptors: Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
