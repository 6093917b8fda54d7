// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import Foundation
import HTTPTypes
import SessionCore
import SessionWire
import Synchronization

/// A participant of an observed call, and how it came.
struct ObserverPass: Sendable {
    let grant: ObserverGrant
    /// When its token was made, Unix ms.
    let issued: Double
    /// Its token, by which another node lets it in, too.
    let token: String
    /// Whether another node has passed on what it says: it is passed on once.
    var isPassedOn = false
    /// Whether it waits until what it says is stored: not if nothing is ever said to it.
    var awaitsStorage = true
}

/// Passes what is said of observed calls on to the nodes that have them.
///
/// Pages and rtcstats' clients go where they are sent by no one, so what they say goes instead: a request between nodes for each
/// report that comes to another one.
final class ObservedCallProxy: Sendable {
    private enum Place {
        case here
        case at(NodeTable.Node)
    }

    private struct Known {
        let place: Place
        let end: ContinuousClock.Instant
        /// ``ClusterDirectory/handoverCount`` before it was asked.
        let handovers: Int
    }

    /// How long it is remembered where a call is, and for how many: who sends much does not ask the database much.
    private static let memory: Duration = .seconds(5)
    private static let capacity = 10_000
    /// Longer than the other node waits until what was said is stored.
    private static let answerTimeout: Duration = .seconds(10)
    /// Longest answer, bytes.
    private static let answerLimit = 1 << 16

    /// What another node is asked for that is not to wait until something is stored (RFC 7240).
    static let preferenceNotToWait = "respond-async"

    private let directory: ClusterDirectory
    private let known = Mutex<[String: Known]>([:])

    init(_ directory: ClusterDirectory) { self.directory = directory }

    /// The name of this node.
    var node: String { directory.node }

    /// Has something taken by the node that has the call; `nil` if it is this one.
    ///
    /// - Throws: ``ServerError``: what that node answers, or ``ServerError/unknownPlace``.
    func take(
        _ body: () throws(ServerError) -> [UInt8], from pass: ObserverPass
    ) async throws(ServerError) -> ObservedReceipt? {
        let call = pass.grant.call
        if pass.isPassedOn {
            guard case .here = try await place(of: call) else { throw .unknownPlace }
            return nil
        }
        guard case .at(let first) = try await place(of: call) else { return nil }
        let bytes = try body()
        do { return try await send(bytes, of: pass, to: first) } catch {
            guard error.code == .elsewhere else { throw error }
            // It has taken nothing, and given the call away since.
            forget(call)
            guard case .at(let next) = try await place(of: call) else { return nil }
            return try await send(bytes, of: pass, to: next)
        }
    }

    private func place(of call: String) async throws(ServerError) -> Place {
        let handovers = directory.handoverCount
        if let found = known.withLock({ $0[call] }), found.end > .now, found.handovers == handovers {
            return found.place
        }
        let place: Place
        switch await directory.begin(call, for: .never, prefersOwn: true) {
        case .here: place = .here
        case .at(let node): place = .at(node)
        case .unknown:
            forget(call)
            throw .unknownPlace
        }
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll() }
            known[call] = Known(place: place, end: .now + Self.memory, handovers: handovers)
        }
        return place
    }

    private func forget(_ call: String) { known.withLock { $0[call] = nil } }

    private struct Refusal: Decodable { let error: ServerError }

    private func send(
        _ body: [UInt8], of pass: ObserverPass, to node: NodeTable.Node
    ) async throws(ServerError) -> ObservedReceipt {
        guard let base = URL(string: node.internalURL) else { throw .unknownPlace }
        let url = base.appending(components: "v1", "calls", pass.grant.call, "reports")
        var request = OutgoingRequest(posting: Data(body), to: url)
        request.headers[HTTPField.Name.authorization.rawName] = "Bearer \(pass.token)"
        request.headers[HTTPField.Name.sightlineNode.rawName] = directory.node
        if !pass.awaitsStorage {
            request.headers[HTTPField.Name.prefer.rawName] = Self.preferenceNotToWait
        }
        guard let answer = await request.answer(within: Self.answerTimeout, upTo: Self.answerLimit) else {
            // It may have taken it, so nothing is sent once more from here.
            forget(pass.grant.call)
            throw ServerError(.unknownSession, "the server that has the call does not answer; try again")
        }
        let data = Data(answer.body)
        if answer.isSuccess, let receipt = try? JSONDecoder().decode(ObservedReceipt.self, from: data) {
            return receipt
        }
        throw (try? JSONDecoder().decode(Refusal.self, from: data))?.error
            ?? ServerError(.internal, "the server that has the call answers with \(answer.status)")
    }
}
