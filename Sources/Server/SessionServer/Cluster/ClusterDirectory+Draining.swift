// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import ClusterStore
import Logging
import PostgresClient
import SessionCore
import SessionWire
import Synchronization

/// Giving up what it has.
extension ClusterDirectory {
    /// Sessions that are given up each second: their clients come back all at once.
    private static let pace = 20
    /// How long who drains waits for the next session to go, once its time is over.
    private static let standstillTimeout: Duration = .seconds(5)
    /// How long who drains serves at least, unless the time is shorter: until a load balancer has seen that it is not ready.
    private static let notice: Duration = .seconds(4)

    /// Has the node take no more sessions, and returns when it has none, or can give none away.
    ///
    /// What it still has after a time goes to others, and no one waits for sessions without clients; it returns soon after that.
    func drain(within time: Duration) async {
        let begin = now
        await giveAway(within: time)
        let noticed = begin + min(time, Self.notice)
        // A client that was sent away asks where it came first, which may be here, who has its session.
        let answered = sentAwayAt.map { $0 + Self.notice } ?? .zero
        try? await Task.sleep(for: max(.zero, max(noticed, answered) - now))
    }

    private func giveAway(within time: Duration) async {
        await beginDraining(within: time)
        var end = now + time
        var isSaid = false
        var (left, changedAt) = (Int.max, now)
        while !Task.isCancelled {
            let count = await hub.sessionNames.count
            guard count > 0 else { return await giveObservedCallsAway() }
            if now < end, await hub.health.connections == 0 { (end, isSaid) = (now, false) }
            if !isSaid { isSaid = await say(drainWithin: end - now) }
            if now < end || count < left { (left, changedAt) = (count, now) }
            guard now < end || hasOthers && now - changedAt <= Self.standstillTimeout else { return }
            try? await Task.sleep(for: Self.interval / 4)
        }
    }

    private func beginDraining(within time: Duration) async {
        guard !isDraining else { return }
        isDraining = true
        handovers.withLock { $0 += 1 }
        await hub.setDraining()
        logger.notice(
            "this server is drained: no new session begins here, and what it has then goes to others",
            metadata: ["seconds": "\(max(0, Int(time.seconds)))"])
    }

    /// Whether another node would take a session.
    private var hasOthers: Bool { book.serving(at: now).contains { $0.name != node } }

    private func say(drainWithin time: Duration) async -> Bool {
        let node = node
        do {
            return try await finder.run { try NodeTable.drain(node, within: max(.zero, time), $0) }
        } catch {
            note(error)
            return false
        }
    }

    /// Gives observed calls to other nodes: no one waits for that, and no one loses a socket.
    private func giveObservedCallsAway() async {
        let node = node
        for call in await hub.observedCalls {
            let load = await hub.load
            guard book.isInformed(at: now), let taker = choose(for: .never, ownLoad: load), taker != node
            else { return }
            do {
                let isMoved = try await finder.transaction {
                    try PlacementTable.move(call, from: node, to: taker, $0)
                }
                if isMoved { owners[call] = .init(owner: taker, epoch: 1) }
                handovers.withLock { $0 += 1 }
                await hub.release([call])
            } catch { return note(error) }
        }
    }

    /// Gives up some of its sessions, if that is wanted by now.
    func drain() async {
        let time = nodes[node]?.drainsIn
        if let time { await beginDraining(within: time) }
        guard let time, time <= .zero, book.isInformed(at: now) else { return }
        await giveObservedCallsAway()
        let node = node
        for session in await hub.sessionNames.prefix(Self.pace) {
            // Another one than this, which does not serve any more.
            guard let taker = choose(for: .later, ownLoad: await hub.load) else { return }
            do {
                let isMoved = try await finder.transaction {
                    try PlacementTable.move(session, from: node, to: taker, $0)
                }
                if isMoved { owners[session] = .init(owner: taker, epoch: 1) }
                if await hub.release([session]) > 0 { sentAwayAt = now }
            } catch { return note(error) }
        }
    }
}
