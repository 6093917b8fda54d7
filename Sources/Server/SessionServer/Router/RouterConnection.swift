// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Logging
import NIOCore
import NIOPosix
import RouterWire
import SessionCore
import WebRTCStats

/// The server's end of the socket to one router.
struct RouterConnection: Sendable {
    typealias Channel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let router: RouterID
    let hub: ServerHub
    let timeouts: SessionServerTimeouts
    let logger: Logger

    /// Takes over a connected socket.
    static func channel(_ socket: Int32) async throws -> Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .withConnectedSocket(socket) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Channel(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Passes commands and notices on until the socket closes or the task is cancelled; the socket is closed
    /// then.
    func run(_ channel: Channel) async throws {
        let outlet = RouterOutlet { channel.channel.close(promise: nil) }
        try await channel.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await read(inbound, outlet, channel) }
                group.addTask {
                    for await line in outlet.lines {
                        try await outbound.write(line)
                        outlet.sent(line)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func read(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ outlet: RouterOutlet, _ channel: Channel
    ) async throws {
        // A router that says nothing is cut off, which ends the loop below.
        let timeout = Task {
            try await Task.sleep(for: timeouts.routerStart)
            channel.channel.close(promise: nil)
        }
        defer { timeout.cancel() }
        var isReady = false
        var lines = LineReader(limit: RouterProtocol.lineLimit)
        for try await piece in inbound {
            for line in piece.withUnsafeReadableBytes({ lines.read($0) }) {
                guard let notice = try notice(line) else { continue }
                if isReady {
                    await hub.handle(.router(notice, from: router))
                } else {
                    let ready = try ready(notice)
                    timeout.cancel()
                    isReady = true
                    await hub.routerIsReady(router, outlet, process: ready.processID)
                }
            }
        }
        if !isReady { throw RouterSupervisor.Failure.notReady }
    }

    /// The notice that a line is; `nil` if it cannot be read.
    ///
    /// - Throws: ``RouterSupervisor/Failure/longLine``: the router never writes one.
    private func notice(_ line: LineReader.Line) throws -> RouterNotice? {
        guard case .complete(let bytes) = line else { throw RouterSupervisor.Failure.longLine }
        let notice = try? RouterNotice(line: bytes)
        if notice == nil { logger.warning("media router sent a line that could not be read") }
        return notice
    }

    private func ready(_ notice: RouterNotice) throws -> RouterReady {
        guard case .ready(let ready) = notice else { throw RouterSupervisor.Failure.notReady }
        guard ready.version == RouterProtocol.version else {
            throw RouterSupervisor.Failure.foreignVersion(ready.version)
        }
        return ready
    }
}
