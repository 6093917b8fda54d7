// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import RouterWire
import Synchronization
import TestSupport
import Testing
import WebRTCStats

@testable import MediaRouter

/// A router's engine and a client engine in one process.
///
/// The product runs the router in a process of its own, because its field trials hold for the whole process;
/// here the clients run under the router's trials, which changes their jitter buffers and probing, and
/// nothing else.
final class RouterBench: Sendable {
    static let shared = Result { try RouterBench() }

    let router: RouterEngine
    private let clients: UInt
    private let events: Events
    private let numbers = Mutex<UInt64>(0)

    /// Candidates that the router has gathered, by leg.
    private final class Events: Sendable {
        let candidates = Mutex<[LegNumber: [(mid: String, line: Int, text: String)]]>([:])
        let states = Mutex<[LegNumber: LegConnectionState]>([:])
    }

    private init() throws {
        let events = Events()
        self.events = events
        // First: the router's field trials are those of the process.
        router = try RouterEngine(.init(loopbackOnly: true)) { event in
            switch event {
            case .candidate(let leg, let mid, let line, let text):
                events.candidates.withLock { $0[leg, default: []].append((mid, line, text)) }
            case .connectionState(let leg, let state):
                events.states.withLock { $0[leg] = state }
            }
        }
        var error = sl_error()
        guard let engine = sl_engine_create(&error) else { throw RouterEngineError(error) }
        clients = UInt(bitPattern: engine)
    }

    func makeClient() throws -> TestClient {
        guard let engine = OpaquePointer(bitPattern: clients) else { throw RouterEngineError(sl_error()) }
        return try TestClient(engine: engine)
    }

    func makeLeg() -> LegNumber { LegNumber(rawValue: makeNumber()) }
    func makeStream() -> StreamNumber { StreamNumber(rawValue: makeNumber()) }

    private func makeNumber() -> UInt64 {
        numbers.withLock {
            $0 += 1
            return $0
        }
    }

    /// Whether the router has gathered any for a leg that were not taken.
    func hasCandidates(of leg: LegNumber) -> Bool { events.candidates.withLock { $0[leg]?.isEmpty == false } }

    func state(of leg: LegNumber) -> LegConnectionState? { events.states.withLock { $0[leg] } }

    func makeNetwork() -> NetworkNumber { NetworkNumber(rawValue: makeNumber()) }

    func add(
        _ kind: StreamRole, leg: LegNumber, stream: StreamNumber, offer: String, network: NetworkNumber? = nil
    ) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            router.add(kind, leg: leg, stream: stream, offer: offer, network: network) {
                continuation.resume(with: $0)
            }
        }
    }

    func answer(_ offer: String, on leg: LegNumber) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            router.answer(offer, on: leg) { continuation.resume(with: $0) }
        }
    }

    /// Why offers are refused that are made in this order, before any is answered; `nil` of those that are taken.
    func refusals(of offers: [String], on leg: LegNumber) async -> [RouterEngineError.Kind?] {
        let (results, continuation) = AsyncStream.makeStream(of: (Int, RouterEngineError.Kind?).self)
        for (index, offer) in offers.enumerated() {
            router.answer(offer, on: leg) { result in
                if case .failure(let error) = result {
                    continuation.yield((index, error.kind))
                } else {
                    continuation.yield((index, nil))
                }
            }
        }
        var kinds: [RouterEngineError.Kind?] = offers.map { _ in nil }
        var count = 0
        for await (index, kind) in results {
            kinds[index] = kind
            count += 1
            if count == offers.count { break }
        }
        return kinds
    }

    func statistics(of leg: LegNumber) async throws -> StatsReport {
        try await withCheckedThrowingContinuation { continuation in
            router.statistics(of: leg) { continuation.resume(with: $0) }
        }
    }

    /// Negotiates and trickles until both ends are connected.
    func connect(
        _ client: TestClient, as kind: StreamRole, leg: LegNumber, stream: StreamNumber,
        network: NetworkNumber? = nil
    ) async throws {
        let answer = try await add(
            kind, leg: leg, stream: stream, offer: client.offer(), network: network)
        try await client.accept(answer)
        try await trickle(client, leg: leg)
    }

    func trickle(_ client: TestClient, leg: LegNumber) async throws {
        try await eventually("the leg connects") {
            exchangeCandidates(client, leg: leg)
            return client.isConnected && state(of: leg) == .connected
        }
    }

    /// Gives each end the candidates that the other one has found.
    func exchangeCandidates(_ client: TestClient, leg: LegNumber) {
        for local in client.takeCandidates() {
            router.addCandidate(local.text, mid: local.mid, lineIndex: local.line, to: leg) { _ in }
        }
        for remote in events.candidates.withLock({ $0[leg]?.drain() ?? [] }) {
            client.addCandidate(mid: remote.mid, line: remote.line, candidate: remote.text)
        }
    }
}

extension Array {
    fileprivate mutating func drain() -> [Element] {
        defer { removeAll() }
        return self
    }
}
