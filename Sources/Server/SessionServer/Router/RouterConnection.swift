// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Logging
import NIOCore
import NIOPosix
import RouterWire
import SessionCore

/// The server's end of the socket to one router.
struct RouterConnection: Sendable {
    typealias Channel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let hub: ServerHub
    let timeouts: SessionServerTimeouts
    let logger: Logger

    /// Takes over a connected socket.
    static func channel(_ socket: Int32) async throws -> Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .withConnectedSocket(socket) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let lines = ByteToMessageHandler(LineDecoder(limit: RouterProtocol.lineLimit))
                    try channel.pipeline.syncOperations.addHandler(lines)
                    return try Channel(wrappingChannelSynchronously: channel)
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
        for try await line in inbound {
            guard let notice = try? RouterNotice(line: line.readableBytesView) else {
                logger.warning("media router sent a line that could not be read")
                continue
            }
            if isReady {
                await hub.handle(.router(notice))
            } else {
                try checkReady(notice)
                timeout.cancel()
                isReady = true
                await hub.routerIsReady(outlet)
            }
        }
        if !isReady { throw RouterSupervisor.Failure.notReady }
    }

    private func checkReady(_ notice: RouterNotice) throws {
        guard case .ready(let ready) = notice else { throw RouterSupervisor.Failure.notReady }
        guard ready.version == RouterProtocol.version else {
            throw RouterSupervisor.Failure.foreignVersion(ready.version)
        }
    }
}
