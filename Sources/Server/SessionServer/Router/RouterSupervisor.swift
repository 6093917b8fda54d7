// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Logging
import NIOCore
import NIOPosix
import RouterWire
import SessionCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Starts the media router, talks to it, and starts it again when it ends.
struct RouterSupervisor: Sendable {
    /// Why a router was given up.
    enum Failure: Error, CustomStringConvertible {
        case noSocket
        case notReady
        case longLine
        case foreignVersion(Int)

        var description: String {
            switch self {
            case .noSocket: "no socket for the media router: too many open files?"
            case .notReady: "the media router did not say that it is ready"
            case .longLine: "the media router wrote a line of more than \(RouterProtocol.lineLimit) bytes"
            case .foreignVersion(let version):
                "the media router speaks version \(version) of its protocol, not \(RouterProtocol.version)"
            }
        }
    }

    let id: RouterID
    let router: SessionServerConfiguration.Router
    let timeouts: SessionServerTimeouts
    let hub: ServerHub
    let logger: Logger

    /// A router that lived so long did not end because of how it was started.
    private static let healthyUptime: Duration = .seconds(10)

    /// Keeps a router running until the task is cancelled; then ends it.
    func run() async {
        var failures = 0
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do {
                try await runOnce()
                if Task.isCancelled { return }
                logger.warning("media router ended")
            } catch {
                logger.error("media router failed", metadata: ["reason": "\(error)"])
            }
            if Task.isCancelled { return }
            failures = ContinuousClock.now - start >= Self.healthyUptime ? 0 : failures + 1
            try? await Task.sleep(for: Self.pause(afterFailures: failures))
        }
    }

    /// None after the first failure, then a quarter of a second, doubling up to four seconds.
    static func pause(afterFailures failures: Int) -> Duration {
        failures <= 1 ? .zero : min(.seconds(4), .milliseconds(250) * (1 << min(failures - 2, 4)))
    }

    /// One run of a router.
    ///
    /// Returns when it has ended.
    private func runOnce() async throws {
        let (socket, process) = try start()
        let channel: RouterConnection.Channel
        do {
            channel = try await RouterConnection.channel(socket)
        } catch {
            process.signal(SIGKILL)
            await process.waitForEnd()
            throw error
        }
        logger.info(
            "media router started", metadata: ["router": "\(id.rawValue)", "process": "\(process.processID)"])
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await RouterConnection(router: id, hub: hub, timeouts: timeouts, logger: logger).run(
                    channel))
        } catch {
            result = .failure(error)
        }
        await hub.routerIsLost(id)
        // The socket is closed, which ends the router; one that hangs is killed.
        await process.end(within: timeouts.routerEnd)
        if !Task.isCancelled { try result.get() }
    }

    private func start() throws -> (socket: Int32, ChildProcess) {
        var sockets: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else { throw Failure.noSocket }
        defer { close(sockets[1]) }
        do {
            let child = try ChildProcess(
                executable: router.executable, arguments: router.arguments, input: sockets[1])
            return (sockets[0], child)
        } catch {
            close(sockets[0])
            throw error
        }
    }
}
