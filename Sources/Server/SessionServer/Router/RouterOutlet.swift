// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import NIOCore
import RouterWire
import Synchronization

/// What is queued for the router, in order.
///
/// A router that falls behind gets no new work: offers are refused as it would refuse them itself, and what
/// it does for the legs that it has continues. One that takes nothing at all is ended by its silence.
final class RouterOutlet: Sendable {
    /// Bytes that may wait before offers and candidates are refused.
    static let backlog = 4 << 20
    /// Bytes of commands that cannot be refused, after which the router counts as hanging; so much does not
    /// gather in the time that its silence is borne.
    static let hangingBacklog = 64 << 20

    let lines: AsyncStream<ByteBuffer>
    private let queue: AsyncStream<ByteBuffer>.Continuation
    private let bytes = Mutex(0)
    /// Ends the connection to the router.
    let abort: @Sendable () -> Void

    /// - Parameter abort: Ends the connection to the router.
    init(abort: @escaping @Sendable () -> Void) {
        // Without a bound of its own: `bytes` counts, and no command that is taken may get lost.
        (lines, queue) = AsyncStream.makeStream()
        self.abort = abort
    }

    /// Queues a command.
    ///
    /// - Returns: What the router would say, if it takes no more work now; `nil` if the command is on its
    ///   way, or one that may be omitted.
    func send(_ command: RouterCommand) -> RouterNotice? {
        guard let line = try? command.line() else { return nil }
        let isBehind = bytes.withLock { $0 + line.count > Self.backlog }
        if isBehind, let refused = Self.refusal(of: command) { return refused.notice }
        let total = bytes.withLock { bytes in
            bytes += line.count
            return bytes
        }
        if total > Self.hangingBacklog {
            abort()
        } else {
            queue.yield(ByteBuffer(bytes: line + [UInt8(ascii: "\n")]))
        }
        return nil
    }

    /// Notes that a line has been handed over.
    func sent(_ line: ByteBuffer) {
        bytes.withLock { $0 -= line.readableBytes - 1 }
    }

    private struct Refusal {
        var notice: RouterNotice?
    }

    /// `nil` for a command that must reach the router.
    private static func refusal(of command: RouterCommand) -> Refusal? {
        switch command {
        case .add(let request): Refusal(notice: tooMany(request.leg, endsLeg: true))
        case .offer(let offer): Refusal(notice: tooMany(offer.leg, endsLeg: false))
        // The leg connects by its other candidates, or by the client's own checks.
        case .candidate: Refusal(notice: nil)
        case .prefer, .saturate, .align, .emulate, .remove: nil
        }
    }

    private static func tooMany(_ leg: LegName, endsLeg: Bool) -> RouterNotice {
        let message = "the media router has too much to do; try again in a few seconds"
        return .failure(
            LegFailure(leg: leg, code: .tooMany, message: message, endsLeg: endsLeg, answersOffer: true))
    }
}
