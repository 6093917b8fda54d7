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
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return nil }
        // After the name, which may hold anything: the state is the first, so the 14th and 15th are these.
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]),
            let start = Double(fields[19]), let pages = Int64(fields[21])
        else { return nil }
        let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        processorSeconds = (user + system) / ticks
        residentBytes =
            pages.multipliedReportingOverflow(by: Int64(sysconf(Int32(_SC_PAGESIZE)))).partialValue
        startedAt = Self.bootTime + start / ticks
        #else
        return nil
        #endif
    }

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
