// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A node as the database has it.
package struct NodeState: Sendable, Hashable {
    /// Its name.
    package var name: String
    /// Whether new sessions may begin there: not if it is being drained.
    package var isServing: Bool
    /// How much of what it can do it does.
    package var load: NodeLoad
    /// For how long it has said nothing, by the clock of the database.
    package var silence: Duration

    /// Describes one.
    package init(name: String, isServing: Bool, load: NodeLoad, silence: Duration) {
        self.name = name
        self.isServing = isServing
        self.load = load
        self.silence = silence
    }
}

/// What a node knows of the others, and what it may conclude of it.
///
/// Pure: times are those of a clock of this node that no one sets. Three things must hold before a node takes another one's
/// sessions: the other has said nothing for ``silenceLimit`` by the clock of the database; this one has had the database for
/// as long without a break, so that an outage of it makes no one dead; and the other does not answer when it is asked.
package struct NodeBook: Sendable {
    /// What may be concluded of a node.
    package enum Verdict: Sendable, Hashable {
        /// It is there, or no one can know that it is not.
        case alive
        /// It has been silent for long: only if it does not answer either, it is dead.
        case mustBeAsked
    }

    /// Between two beats of a node.
    package static let beat: Duration = .seconds(2)
    /// How long a node may say nothing.
    package static let silenceLimit: Duration = .seconds(10)
    /// How old what the database has said may be.
    package static let newsLimit: Duration = .seconds(3)

    private let own: String
    private var nodes: [String: NodeState] = [:]
    /// The start of the time in which the database has answered without a break; `nil` while it does not.
    private var connectedSince: Duration?
    /// When what it said last was asked for.
    private var askedAt: Duration?

    /// Of the node of a name.
    package init(own: String) { self.own = own }

    /// The database has said which nodes there are.
    ///
    /// - Parameter asked: When it was asked, which is before it looked.
    package mutating func take(_ states: [NodeState], asked: Duration, at now: Duration) {
        if let askedAt, asked - askedAt > Self.newsLimit { connectedSince = nil }
        nodes = Dictionary(states.map { ($0.name, $0) }) { first, _ in first }
        askedAt = asked
        connectedSince = connectedSince ?? now
    }

    /// The database did not answer.
    package mutating func loseDatabase() { connectedSince = nil }

    /// What may be concluded of a node.
    package func verdict(on name: String, at now: Duration) -> Verdict {
        guard name != own, isInformed(at: now), let connectedSince,
            now - connectedSince >= Self.silenceLimit
        else { return .alive }
        // Who is not there has never been, or was removed by the operator.
        guard let node = nodes[name] else { return .mustBeAsked }
        return node.silence > Self.silenceLimit ? .mustBeAsked : .alive
    }

    /// The nodes at which sessions may begin, by their names; this one alone while the database says nothing.
    package func serving(at now: Duration) -> [NodeState] {
        guard isInformed(at: now) else { return nodes[own].map { [$0] } ?? [] }
        return nodes.values.filter { node in
            node.isServing && (node.silence <= Self.silenceLimit || node.name == own)
        }.sorted { $0.name < $1.name }
    }

    /// Whether the database answers, as far as anyone can know.
    package func isInformed(at now: Duration) -> Bool {
        connectedSince != nil && askedAt.map { now - $0 <= Self.newsLimit } ?? false
    }
}
