// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import Logging
import PostgresClient
import SessionCore
import Synchronization

/// What the database says of nodes and sessions, and what this node says there.
extension ClusterDirectory {
    /// Between two renewals of what is noted.
    private static let renewal: Duration = .seconds(3600)

    /// Looks, or waits for the look that is under way: very many clients want one at once when a node dies.
    func look() async {
        if let looking { return await looking.value }
        let look = Task {
            await lookOnce()
            looking = nil
        }
        looking = look
        await look.value
    }

    private func lookOnce() async {
        let asked = now
        looks += 1
        noteRun()
        let (node, instance) = (node, instance)
        let (names, load) = (await hub.sessionNames + hub.observedCalls, await hub.load)
        let chosen = names.filter { SessionName($0).home == nil }
        let isBeat = looks % Self.looksPerBeat == 1
        do {
            let (isOurs, all, lost) = try await beats.run { session in
                let isOurs =
                    try !isBeat || NodeTable.beat(node, instance: instance, load: load.number, session)
                if isOurs { try PlacementTable.claim(chosen, by: node, session) }
                return (isOurs, try NodeTable.all(session), try PlacementTable.lost(names, by: node, session))
            }
            take(all, asked: asked)
            // Not if it has continued as another run since it looked.
            if !isOurs, store.instance == instance { await giveWay() }
            if !lost.isEmpty { await release(lost) }
        } catch { note(error) }
    }

    /// Renews what is noted of the node's sessions, and has some deleted that is old.
    func tidy() async {
        guard now - tidiedAt >= Self.renewal, book.isInformed(at: now), !isDisplaced else { return }
        let (node, names) = (node, await hub.sessionNames + hub.observedCalls)
        do {
            let isMore = try await finder.run { try PlacementTable.tidy(names, of: node, $0) }
            if !isMore { tidiedAt = now }
        } catch {
            // It says nothing of whether the database is there: looks say that.
            tidiedAt = now
            logger.warning(
                "what is noted of sessions cannot be tidied up; it is tried again in an hour",
                metadata: ["error": "\(error)"])
        }
    }

    /// Another server has entered the cluster under the name of this node: what is here goes there, or elsewhere.
    private func giveWay() async {
        if !isDisplaced {
            isDisplaced = true
            logger.critical(
                "another server runs as this node and has taken its place: this one gives up its sessions; end one of them",
                metadata: ["node": "\(node)"])
            await hub.setDraining()
        }
        handovers.withLock { $0 += 1 }
        await hub.release(await hub.sessionNames + hub.observedCalls)
    }

    private func noteRun() {
        let now = store.instance
        guard now != instance else { return }
        instance = now
        logger.warning(
            "this server was taken for dead while it was not heard of: another one has stored what it had logged, and it continues",
            metadata: ["run": "\(now.number)"])
    }

    private static let looksPerBeat = Int(NodeBook.beat / interval)

    func take(_ all: [NodeTable.Node], asked: Duration) {
        nodes = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        known.withLock { $0 = all.map(\.url) }
        let states = all.map {
            NodeState(
                name: $0.name, isServing: $0.drainsIn == nil, load: NodeLoad(number: $0.load),
                silence: $0.silence)
        }
        book.take(states, asked: asked, at: now)
        lookedAt = asked
    }

    private func release(_ lost: [String]) async {
        logger.warning(
            "sessions were taken over by other nodes while this one was not heard of: their clients are sent there",
            metadata: ["sessions": "\(lost.count)"])
        handovers.withLock { $0 += 1 }
        await hub.release(lost)
    }

    func note(_ error: any Error) {
        guard !(error is CancellationError) else { return }
        // A refusal of what was asked says that the database is there.
        if (error as? PostgresError)?.consequence == .never {
            return logger.warning(
                "the database refuses to say where a session is", metadata: ["error": "\(error)"])
        }
        if book.isInformed(at: now) {
            logger.warning(
                "the database does not say where sessions are; what is known goes on to hold",
                metadata: ["error": "\(error)"])
        }
        book.loseDatabase()
    }
}
