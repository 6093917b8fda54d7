// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import PostgresClient
import SessionCore
import SessionWire

/// Where sessions are, and where they are to begin.
extension ClusterDirectory {
    /// Most sessions of which is remembered where they are.
    private static let capacity = 10_000

    /// Where a session is; taken over from a node that is gone, here or by another one.
    ///
    /// - Parameter isBegun: Whether the application begins it again, so that it may have ended.
    func find(_ session: String, isBegun: Bool = false) async -> Place {
        guard Self.isName(session), await !hub.has(session) else { return .here }
        let placement = await placement(of: session)
        let owner: String
        if let placement {
            owner = placement.owner
        } else {
            guard let home = await home(of: session) else {
                return book.isInformed(at: now) ? .here : .unknown
            }
            owner = home
        }
        if owner == node, !isDisplaced {
            return placement.map { $0.epoch > 0 } ?? false ? await adopt(session) : .here
        }
        guard await verdict(on: owner) == .mustBeAsked else { return await place(owner) }
        if let silent = nodes[owner], await answers(silent) { return .at(silent) }
        return await takeOver(session, from: owner, isBegun: isBegun)
    }

    /// Where a session is to begin whose name the application has chosen; here while the database says nothing of it.
    ///
    /// - Parameters:
    ///   - use: Whether its media goes through a router.
    ///   - prefersOwn: Whether it begins here if this node takes new ones, whatever the others have to do, and
    ///     whether a name that says where it begins is left to that node.
    func begin(_ session: String, for use: RouterUse, prefersOwn: Bool = false) async -> Place {
        guard Self.isName(session), await !hub.has(session) else { return .here }
        // Or anyone's report of a call would take a session from the node that its name says.
        guard !prefersOwn || SessionName(session).home == nil else { return await find(session) }
        let load = await hub.load
        let hasRoom = load.share < Placement.full && (use == .never || !load.areRoutersFull)
        let isOwn = prefersOwn && !isDraining && !isDisplaced && hasRoom
        if await placement(of: session) == nil, book.isInformed(at: now),
            let chosen = isOwn ? node : choose(for: use, ownLoad: load)
        {
            do {
                let owner = try await finder.run { try PlacementTable.begin(session, at: chosen, $0) }
                owners[session] = .init(owner: owner, epoch: 0)
            } catch { note(error) }
        }
        let place = await find(session, isBegun: true)
        return place == .unknown && !book.isInformed(at: now) ? .here : place
    }

    /// Whether there can be a session of a name; of others nothing is asked.
    private static func isName(_ session: String) -> Bool {
        (1...SessionProtocol.nameLimit).contains(session.utf8.count)
    }

    /// Which other node has of a session what is in no minute of the history yet; nothing is taken over for that.
    func holder(of session: String) async -> NodeTable.Node? {
        guard book.isInformed(at: now), await !hub.has(session) else { return nil }
        do {
            let name = try await finder.run { try PlacementTable.holder(of: session, $0) }
            guard let name, name != node else { return nil }
            if nodes[name] == nil { await hearOfNewNodes() }
            return nodes[name].flatMap { $0.silence > NodeBook.silenceLimit ? nil : $0 }
        } catch {
            note(error)
            return nil
        }
    }

    /// Whether this node does what is for one of them to do; each, while the database says nothing.
    var isFirst: Bool { book.serving(at: now).first.map { $0.name == node } ?? true }

    /// The other nodes that have been heard of lately.
    var others: [NodeTable.Node] {
        guard book.isInformed(at: now) else { return [] }
        return nodes.values.filter { $0.name != node && $0.silence <= NodeBook.silenceLimit }
    }

    /// The node at which a new session is to begin; `nil` if all are full.
    ///
    /// - Parameter use: Whether its media goes through a router.
    func choosePlace(for use: RouterUse) async -> Place? {
        guard let chosen = choose(for: use, ownLoad: await hub.load) else { return nil }
        return await place(chosen)
    }

    func choose(for use: RouterUse, ownLoad: NodeLoad) -> String? {
        // Who is drained knows it before the database says so, and whether it is full as well.
        var serving = book.serving(at: now).filter { $0.name != node || !isDraining }
        for index in serving.indices where serving[index].name == node { serving[index].load = ownLoad }
        return placement.choose(for: use, from: serving, at: now, using: &generator)
    }

    func place(_ name: String) async -> Place {
        guard name != node || isDisplaced else { return .here }
        if nodes[name] == nil { await hearOfNewNodes() }
        return nodes[name].map(Place.at) ?? .unknown
    }

    /// Looks which nodes there are: one that has just come is given sessions before all others have looked.
    private func hearOfNewNodes() async {
        guard book.isInformed(at: now) else { return }
        let asked = now
        do { take(try await finder.run { try NodeTable.all($0) }, asked: asked) } catch { note(error) }
    }

    /// What the database has noted of a session, or had when it last answered; `nil` if nothing.
    private func placement(of session: String) async -> PlacementTable.Placement? {
        guard book.isInformed(at: now) else { return owners[session] }
        do {
            let found = try await finder.run { try PlacementTable.find(session, $0) }
            if owners.count >= Self.capacity { owners.removeAll() }
            owners[session] = found
            return found
        } catch {
            note(error)
            return owners[session]
        }
    }

    /// Where a session began, by its name; `nil` if no node is there for it, or no one can say.
    private func home(of session: String) async -> String? {
        if let tag = SessionName(session).home {
            if !nodes.values.contains(where: { $0.tag == tag.text }) { await hearOfNewNodes() }
            if let node = nodes.values.first(where: { $0.tag == tag.text }) { return node.name }
        }
        guard book.isInformed(at: now) else { return nil }
        return Placement.home(of: session, among: book.serving(at: now).map(\.name))
    }
}
