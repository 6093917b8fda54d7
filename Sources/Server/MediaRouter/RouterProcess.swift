// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import RouterWire
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The media router, as a process of its own.
///
/// It is made of libwebrtc peer connections with pass-through codecs: each leg ends ICE, DTLS, SRTP, RTCP and
/// congestion control; encoded frames are handed from publisher legs to subscriber legs. libwebrtc aborts its
/// process on a broken invariant, and the router's field trials hold for the whole process: run nothing else
/// that uses libwebrtc beside it.
package enum RouterProcess {
    /// How a router is set up.
    package struct Configuration: Sendable, Equatable {
        /// Gathers candidates on the loopback interface only.
        package var loopbackOnly: Bool
        /// Which addresses of clients the router sends to; with ``loopbackOnly`` also the machine itself.
        package var candidates: CandidateKinds
        /// UDP ports that the media take; `nil` for any.
        ///
        /// Each peer connection takes one for each address of the machine, and
        /// while it restarts ICE another one.
        package var ports: ClosedRange<UInt16>?
        /// Addresses that clients are given in place of the machine's own; `nil` for those.
        package var announced: AnnouncedAddresses?
        /// Threads that carry the media of all legs; about 120 subscriber legs of 500 kbps keep one core
        /// busy.
        package var queueThreads: Int
        /// Start bitrate of a new subscriber leg, bps.
        package var startBitrate: Int
        /// The most that a subscriber leg may use, bps.
        package var maximumBitrate: Int

        /// A router on all interfaces with two media threads.
        package init(
            loopbackOnly: Bool = false, candidates: CandidateKinds = [.publicAddresses, .privateAddresses],
            queueThreads: Int = 2, startBitrate: Int = 600_000, maximumBitrate: Int = 6_000_000
        ) {
            self.loopbackOnly = loopbackOnly
            self.candidates = candidates
            self.queueThreads = queueThreads
            self.startBitrate = startBitrate
            self.maximumBitrate = maximumBitrate
        }
    }

    /// Why a router did not start.
    package enum StartError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The descriptor is no connected stream socket.
        case notASocket(Int32)
        /// libwebrtc did not start.
        case engine(String)

        /// What went wrong and what to do, in one sentence.
        package var description: String {
            switch self {
            case .notASocket(let descriptor):
                "file descriptor \(descriptor) is no connected socket: the router is started by the session server"
            case .engine(let message):
                "the media engine did not start: \(message)"
            }
        }
    }

    /// How long legs may take to close once the server is gone; then the process ends as it is.
    private static let closingTime: Duration = .seconds(5)

    /// Serves the session server at the other end of `socket` until that is closed or the task is cancelled.
    ///
    /// Speaks `RouterProtocol`: one JSON object a line, in both directions. The end of the socket ends the
    /// call, and, should the engine not be released within five seconds, the process: a router never outlives
    /// its server.
    ///
    /// - Parameters:
    ///   - socket: A connected stream socket; shut down at the end, but not closed. The router's standard
    ///     input by default.
    ///   - configuration: How the media router behaves; its numbers are settable.
    /// - Throws: ``StartError``.
    package static func run(socket: Int32 = 0, configuration: Configuration = .init()) async throws {
        guard isStreamSocket(socket) else { throw StartError.notASocket(socket) }
        let loop = try makeLoop(configuration)
        let channel = LineChannel(socket: socket, lineLimit: RouterProtocol.lineLimit)
        let lastResort = LastResort()
        channel.start(
            onLine: { loop.post(RouterLines.command($0)) },
            onEnd: {
                loop.stop()
                lastResort.arm(after: closingTime)
            })
        let emit: @Sendable (RouterNotice) -> Void = { notice in
            guard let line = RouterLines.line(notice) else { return }
            channel.send(line, isDroppable: notice.isDroppable)
        }
        emit(.ready(RouterReady(processID: getpid())))
        await loop.run(emit)
        loop.close()
        lastResort.disarm()
        channel.close()
        shutdown(socket, Int32(SHUT_RDWR))
    }

    private static func makeLoop(_ configuration: Configuration) throws(StartError) -> RouterLoop {
        let engine = RouterEngineConfiguration(
            queueThreads: configuration.queueThreads, loopbackOnly: configuration.loopbackOnly,
            candidates: configuration.candidates, ports: configuration.ports,
            announced: configuration.announced, startBitrate: configuration.startBitrate,
            maximumBitrate: configuration.maximumBitrate)
        do {
            return try RouterLoop(engine: engine)
        } catch {
            throw .engine((error as? RouterEngineError)?.message ?? "\(error)")
        }
    }

    private static func isStreamSocket(_ descriptor: Int32) -> Bool {
        var kind: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 else { return false }
        #if canImport(Glibc)
        return kind == Int32(SOCK_STREAM.rawValue)
        #else
        return kind == SOCK_STREAM
        #endif
    }
}

extension RouterNotice {
    /// Whether a later message makes up for the loss of this one.
    fileprivate var isDroppable: Bool {
        if case .report = self { true } else { false }
    }
}

/// Ends the process when closing takes too long.
private final class LastResort: Sendable {
    private let isDisarmed = Mutex(false)

    func arm(after time: Duration) {
        let thread = Thread { [self] in
            Thread.sleep(forTimeInterval: time.seconds)
            // Not exit(): what hangs may hang in a destructor.
            if !isDisarmed.withLock({ $0 }) { _exit(0) }
        }
        thread.start()
    }

    func disarm() {
        isDisarmed.withLock { $0 = true }
    }
}
