// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import Foundation
import Logging
import PostgresClient
import SessionCore

/// Taking over from nodes that are gone.
extension ClusterDirectory {
    /// How long who joins waits for what is about to be known; less than a client waits for its answer.
    private static let verdictTimeout: Duration = .seconds(3)

    /// What may be concluded of a node, if need be in a moment: who is sent to one that does not answer only comes again.
    func verdict(on owner: String) async -> NodeBook.Verdict {
        let end = now + Self.verdictTimeout
        while now < end, !Task.isCancelled, book.isInformed(at: now),
            book.verdict(on: owner, at: now) == .alive, let silent = nodes[owner],
            silent.silence + (now - lookedAt) > NodeBook.silenceLimit - Self.verdictTimeout,
            await !answers(silent)
        {
            try? await Task.sleep(for: Self.interval / 4)
            if now - lookedAt > Self.interval / 4 { await look() }
        }
        return book.verdict(on: owner, at: now)
    }

    func takeOver(_ session: String, from dead: String, isBegun: Bool) async -> Place {
        // What its clients had is taken by a full router, too.
        let taker = choose(for: .later, ownLoad: await hub.load) ?? node
        do {
            let outcome = try await finder.transaction { connection in
                try PlacementTable.takeOver(
                    session, from: dead, to: taker, after: NodeBook.silenceLimit, isBegun: isBegun, connection
                )
            }
            switch outcome {
            case .alive: return await place(dead)
            case .recovering: return .unknown
            case .over: return .here
            case .owned(by: let owner):
                owners[session] = .init(owner: owner, epoch: 1)
                logger.notice(
                    "a session of a node that is gone was taken over",
                    metadata: ["session": "\(session)", "from": "\(dead)", "by": "\(owner)"])
                return owner == node ? await adopt(session) : await place(owner)
            }
        } catch {
            note(error)
            return await place(dead)
        }
    }

    /// Lets the clients of a session come back to it that was taken over, unless it has ended.
    func adopt(_ session: String) async -> Place {
        guard book.isInformed(at: now) else { return await placeOfUnadopted(session) }
        do {
            let hasEnded = await hub.hasEnded(session)
            let node = hasEnded ? node : nil
            let (state, refused) = try await finder.run { connection in
                (
                    try PlacementTable.state(of: session, endedAt: node, connection),
                    try ClusterTokens.tokens(of: session, connection)
                )
            }
            switch state {
            case .open(let mediaMode):
                // Who was put out elsewhere is refused here from the first moment on.
                await hub.learn(denied: refused.compactMap(DeniedToken.init))
                await hub.adopt(session, mediaMode: mediaMode, isBegunElsewhere: hasEnded)
            case .observed:
                // What the node that had it did not answer is sent here now, and may be stored.
                try await store.recall(session)
            case .over: break
            }
            return .here
        } catch {
            note(error)
            return await placeOfUnadopted(session)
        }
    }

    /// Of a session of this node of which the store does not say whether it has ended: its clients may have been let back before.
    private func placeOfUnadopted(_ session: String) async -> Place {
        await hub.presence(ofSession: session) == .absent ? .unknown : .here
    }

    /// Whether a node answers that the database has not heard of for long; many may ask at once.
    func answers(_ node: NodeTable.Node) async -> Bool {
        if let question = questions[node.name], now - question.askedAt < Self.interval {
            return await question.answer.value
        }
        let answer = Task {
            guard let url = URL(string: node.internalURL)?.appending(path: "livez") else { return false }
            return await OutgoingRequest(url).answer(within: .seconds(1))?.isSuccess ?? false
        }
        questions[node.name] = (now, answer)
        return await answer.value
    }
}
