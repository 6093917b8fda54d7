// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Whether clock, certificate, disk and open files are as the server needs them.
struct MachineCheckup {
    let findings: [CheckupFinding]

    init(_ configuration: SessionServerConfiguration) {
        findings = [
            Self.clock(), Self.certificate(configuration), Self.disk(configuration),
            Self.files(configuration),
        ]
    }

    /// Tokens and the times of what is stored rest on it.
    private static func clock() -> CheckupFinding {
        switch isClockKept {
        case true?: .init(.good, "clock", "it is kept by a time service")
        case false?:
            .init(
                .doubtful, "clock",
                "it is not synchronized: run a time service, such as chrony or systemd-timesyncd")
        case nil: .init(.good, "clock", "whether it is synchronized is not known here")
        }
    }

    /// Whether the kernel is steered by a time service; `nil` where no one knows.
    private static var isClockKept: Bool? {
        #if canImport(Glibc)
        // Not in the Glibc module, which leaves timex.h out. With nothing set it only reads: more than the structure has.
        guard let symbol = dlsym(nil, "adjtimex") else { return nil }
        typealias Call = @convention(c) (UnsafeMutableRawPointer) -> CInt
        let unsynchronized: CInt = 5
        return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            let state = unsafeBitCast(symbol, to: Call.self)(start)
            return state < 0 ? nil : state != unsynchronized
        }
        #else
        return nil
        #endif
    }

    private static func certificate(_ configuration: SessionServerConfiguration) -> CheckupFinding {
        guard let files = configuration.tls else {
            let isLocal = ["127.0.0.1", "localhost", "::1"].contains(configuration.host)
            return isLocal
                ? .init(.good, "TLS", "none, and only this machine, or a proxy on it, reaches the server")
                : .init(
                    .bad, "TLS",
                    "none, and others reach the server: browsers do not allow the camera (--tls-certificate, --tls-key)"
                )
        }
        do {
            return validity(days: try files.end().timeIntervalSinceNow / 86_400)
        } catch {
            return .init(.bad, "TLS", "\(error); both files must be readable")
        }
    }

    static func validity(days: Double) -> CheckupFinding {
        let soon = 14.0
        if days <= 0 { return .init(.bad, "TLS", "the certificate has expired: renew it") }
        let text = "the certificate expires in \(Int(days)) days"
        return days < soon ? .init(.doubtful, "TLS", text + ": renew it") : .init(.good, "TLS", text)
    }

    private static func disk(_ configuration: SessionServerConfiguration) -> CheckupFinding {
        guard let store = configuration.store, let path = store.path else {
            return .init(
                .doubtful, "disk", "calls are kept in memory, and are gone with the server (--store)")
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard access(folder, W_OK) == 0 else {
            return .init(
                .bad, "disk", "\(folder) cannot be written to: make it, and give it to the server's user")
        }
        var state = statvfs()
        guard statvfs(folder, &state) == 0 else {
            return .init(.bad, "disk", "\(folder) cannot be looked at")
        }
        let free = Double(state.f_bavail) * Double(state.f_frsize)
        return room(free: free, wanted: store.maximumBytes.map(Double.init), folder)
    }

    /// - Parameter wanted: What the store may take, bytes.
    static func room(free: Double, wanted: Double?, _ folder: String) -> CheckupFinding {
        let text = "\(Int(free / 1_048_576)) MB are free in \(folder)"
        guard let wanted else { return .init(.good, "disk", text) }
        let most = "the store may take \(Int(wanted / 1_048_576)) MB"
        return free < wanted
            ? .init(.doubtful, "disk", "\(text), and \(most): make room, or lower --keep-megabytes")
            : .init(.good, "disk", "\(text), and \(most)")
    }

    private static func files(_ configuration: SessionServerConfiguration) -> CheckupFinding {
        let wanted = configuration.limits.openConnections
        let possible = OpenFiles.connections(upTo: wanted)
        guard possible < wanted else { return .init(.good, "open files", "enough for \(wanted) connections") }
        return .init(
            .doubtful, "open files",
            "enough for \(possible) connections, not \(wanted): raise the limit (LimitNOFILE, ulimit -n)")
    }
}
