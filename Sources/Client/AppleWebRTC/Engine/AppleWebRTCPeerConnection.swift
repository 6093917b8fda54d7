// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import Foundation
import MediaEngine
import WebRTC
import WebRTCStats

// The framework's objects are proxies that hand every call to the engine's own threads, hence unchecked.
/// A peer connection of WebRTC.framework.
final class AppleWebRTCPeerConnection: MediaPeerConnection, @unchecked Sendable {
    /// More candidates before the remote description are those of a confused peer.
    private static let pendingLimit = 256

    // The framework's objects are proxies, as above.
    /// What is released on the closing queue, since the last owner of any of it waits for threads.
    private struct Leaving: @unchecked Sendable {
        let connection: RTCPeerConnection
        let observer: PeerConnectionObserver
        let factory: RTCPeerConnectionFactory
    }

    private struct Remote {
        var isKnown = false
        /// Candidates that came before the description.
        var pending: [ICECandidate] = []
    }

    let events: AsyncStream<PeerConnectionEvent>
    let factory: RTCPeerConnectionFactory
    let connection: RTCPeerConnection
    private let continuation: AsyncStream<PeerConnectionEvent>.Continuation
    /// The framework holds its delegate weakly.
    private let observer: PeerConnectionObserver
    private let opusFeatures: [String]
    private let remote = Mutex(Remote())
    private let isClosed = Mutex(false)
    /// Where calls wait for the signaling thread that need not keep their caller: in their order.
    private let calls = DispatchQueue(label: "sightline.peer-connections.calls")
    /// Closing waits for the framework's threads and its audio unit.
    private static let closing = DispatchQueue(label: "sightline.peer-connections.closing")

    init(_ factory: RTCPeerConnectionFactory, _ configuration: PeerConnectionConfiguration) throws {
        (events, continuation) = AsyncStream.makeStream(of: PeerConnectionEvent.self)
        self.factory = factory
        observer = PeerConnectionObserver(continuation)
        opusFeatures =
            (configuration.usesDiscontinuousTransmission ? ["usedtx"] : [])
            + (configuration.usesConstantAudioBitrate ? ["cbr"] : [])
        let made = factory.peerConnection(
            with: try RTCConfiguration.made(of: configuration), constraints: .unconstrained,
            delegate: observer)
        guard let made else {
            throw MediaEngineError(.internal, "WebRTC.framework made no peer connection of the configuration")
        }
        connection = made
    }

    deinit { close() }

    func createOffer(iceRestart: Bool) async throws -> SessionDescription {
        try expectOpen()
        return try await description { connection, done in
            connection.offer(for: iceRestart ? .iceRestart : .unconstrained, completionHandler: done)
        }
    }

    func createAnswer() async throws -> SessionDescription {
        try expectOpen()
        return try await description { connection, done in
            connection.answer(for: .unconstrained, completionHandler: done)
        }
    }

    func setLocalDescription(_ description: SessionDescription) async throws {
        try expectOpen()
        try await done {
            $0.setLocalDescription(RTCSessionDescription(description), completionHandler: $1)
        }
    }

    func setRemoteDescription(_ description: SessionDescription) async throws {
        try expectOpen()
        let wanted = opusFeatures.reduce(description.sdp) { OpusFormat.requesting($1, in: $0) }
        try await done {
            $0.setRemoteDescription(
                RTCSessionDescription(SessionDescription(description.kind, sdp: wanted)),
                completionHandler: $1)
        }
        let pending = remote.withLock { remote in
            remote.isKnown = true
            defer { remote.pending = [] }
            return remote.pending
        }
        // One that does not fit the description is skipped, as it would be had it come later.
        for candidate in pending { try? await add(candidate) }
    }

    func addCandidate(_ candidate: ICECandidate) async throws {
        try expectOpen()
        // An empty one says that there are no more.
        guard !candidate.candidate.isEmpty else { return }
        // The framework would say so of one that comes late; an early one is only skipped later.
        guard candidate.isReadable else {
            throw MediaEngineError(.invalidDescription, "this is no candidate: \(candidate.candidate)")
        }
        let isKept = try remote.withLock { remote throws(MediaEngineError) in
            guard !remote.isKnown else { return false }
            guard remote.pending.count < Self.pendingLimit else {
                throw MediaEngineError(.invalidState, "too many candidates before the remote description")
            }
            remote.pending.append(candidate)
            return true
        }
        if !isKept { try await add(candidate) }
    }

    func setBitrate(minimum: Int?, start: Int?, maximum: Int?) throws {
        try expectOpen()
        let bounds = [minimum, start, maximum]
        guard bounds.allSatisfy({ $0 ?? 1 > 0 }) else {
            throw MediaEngineError(.invalidArgument, "a bound of the bandwidth is more than 0")
        }
        let numbers = bounds.map { $0.map { NSNumber(value: Int32(clamping: $0)) } }
        guard
            connection.setBweMinBitrateBps(
                numbers[0], currentBitrateBps: numbers[1], maxBitrateBps: numbers[2])
        else { throw MediaEngineError(.invalidArgument, "the bounds of the bandwidth do not fit together") }
    }

    func statistics() async throws -> StatsReport {
        try expectOpen()
        // On the connection's own queue: one of its own for each report would keep a thread for each while WebRTC is busy.
        return try await PeerConnectionStatistics(connection, on: calls).statistics()
    }

    func close() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return }
        // The framework would say so on the signaling thread, later.
        continuation.yield(.connectionState(.closed))
        continuation.finish()
        let leaving = Leaving(connection: connection, observer: observer, factory: factory)
        Self.closing.async { leaving.connection.close() }
    }

    func expectOpen() throws(MediaEngineError) {
        guard !isClosed.withLock(\.self) else {
            throw MediaEngineError(.closed, "the peer connection is closed")
        }
    }

    private func add(_ candidate: ICECandidate) async throws {
        try await done { $0.add(RTCIceCandidate(candidate), completionHandler: $1) }
    }

    /// Waits for a call that answers with a description.
    private func description(
        _ call:
            @escaping @Sendable (
                RTCPeerConnection, @escaping @Sendable (RTCSessionDescription?, (any Error)?) -> Void
            ) -> Void
    ) async throws -> SessionDescription {
        do {
            return try await withCheckedThrowingContinuation { continuation in
                calls.async { [self] in
                    call(connection) { description, error in
                        continuation.resume(with: SessionDescription.result(description, error))
                    }
                }
            }
        } catch {
            // Then the reason is what came of it.
            try expectOpen()
            throw error
        }
    }

    /// Waits for a call that takes a description or a candidate.
    private func done(
        _ call: @escaping @Sendable (RTCPeerConnection, @escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async throws {
        let failure = await withCheckedContinuation { continuation in
            calls.async { [self] in
                call(connection) { error in
                    let failure = error.map { MediaEngineError(.invalidDescription, $0.localizedDescription) }
                    continuation.resume(returning: failure)
                }
            }
        }
        guard let failure else { return }
        try expectOpen()
        throw failure
    }
}
#endif
