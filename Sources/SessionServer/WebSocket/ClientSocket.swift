// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket
import SessionProtocol

/// One client: its messages to the hub one after the other, the hub's to it.
struct ClientSocket: Sendable {
    typealias Channel = NIOAsyncChannel<SocketEvent, WebSocketFrame>

    let hub: ServerHub
    let verifier: TokenVerifier
    let limits: SessionServerLimits
    let timeouts: SessionServerTimeouts

    /// Serves a socket until it closes.
    func run(_ channel: Channel) async {
        let outlet = ClientOutlet(limits: limits) { channel.channel.close(promise: nil) }
        let socket = await hub.open(outlet)
        // A socket that breaks is one that closes.
        try? await channel.executeThenClose { inbound, outbound in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await read(inbound, socket) }
                group.addTask { try? await write(outbound, outlet) }
                await group.next()
                group.cancelAll()
            }
        }
        await hub.handle(.closed(socket))
    }

    private func read(_ inbound: NIOAsyncChannelInboundStream<SocketEvent>, _ socket: SocketID) async throws {
        var pace = Pace(perSecond: limits.messagesPerSecond)
        for try await event in inbound {
            await hub.handle(await input(event, socket))
            let delay = pace.delay(bytes: event.bytes, at: ContinuousClock.now)
            if let delay { try await Task.sleep(for: delay) }
        }
    }

    private func input(_ event: SocketEvent, _ socket: SocketID) async -> CoreInput {
        switch event {
        case .tooLarge: return .unreadable(socket, id: nil, .tooLarge)
        case .unreadable:
            return .unreadable(
                socket, id: nil, ServerError(.malformed, "messages are text frames, one JSON object each"))
        case .text(let buffer):
            do {
                return await input(try ClientMessage(json: buffer.readableBytesView), socket)
            } catch {
                return .unreadable(socket, id: error.id, seq: error.seq, error.error)
            }
        }
    }

    private func input(_ message: ClientMessage, _ socket: SocketID) async -> CoreInput {
        guard case .join(let join) = message.body else { return .message(socket, message) }
        do throws(ServerError) {
            return .join(socket, id: message.id, join, .success(try await verifier.grant(for: join.token)))
        } catch {
            return .join(socket, id: message.id, join, .failure(error))
        }
    }

    private func write(_ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ outlet: ClientOutlet)
        async throws
    {
        for await item in outlet.items {
            switch item {
            case .text(let buffer):
                try await outbound.write(WebSocketFrame(fin: true, opcode: .text, data: buffer))
                outlet.sent(buffer)
            case .close(let code):
                var data = ByteBuffer()
                data.write(webSocketErrorCode: code)
                try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
            }
        }
        // The client's own close frame ends the socket; one that sends none has had its time.
        try await Task.sleep(for: timeouts.goodbye)
    }
}
