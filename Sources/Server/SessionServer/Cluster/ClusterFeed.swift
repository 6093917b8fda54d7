// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import Foundation

/// Brings what happens at the other nodes to those who watch at this one.
///
/// Only what someone watches: of a single session from the node that has it, of all from each.
struct ClusterFeed: Sendable {
    /// A feed of another node.
    private struct Link: Hashable {
        var url: String
        /// `nil` for all sessions.
        var session: String?
    }

    /// Between two looks at who watches what, and before a feed that has ended is asked for again.
    private static let interval: Duration = .seconds(1)
    /// How long a token is good by which it is asked for; then it is asked for by another one.
    private static let lifetime: Duration = .seconds(3600)

    let feed: LiveFeed
    let directory: ClusterDirectory
    let tokens: APITokens

    /// Brings it until the task is cancelled.
    func run() async {
        var links: [Link: Task<Void, Never>] = [:]
        while (try? await Task.sleep(for: Self.interval)) != nil {
            let wanted = await wanted
            for (link, task) in links where !wanted.contains(link) {
                task.cancel()
                links[link] = nil
            }
            for link in wanted where links[link] == nil { links[link] = Task { await follow(link) } }
        }
        for task in links.values { task.cancel() }
    }

    private var wanted: Set<Link> {
        get async {
            switch feed.remote {
            case .all: return Set(await directory.others.map { Link(url: $0.internalURL) })
            case .sessions(let sessions):
                var links: Set<Link> = []
                for session in sessions {
                    guard let node = await directory.holder(of: session) else { continue }
                    links.insert(Link(url: node.internalURL, session: session))
                }
                return links
            }
        }
    }

    private func follow(_ link: Link) async {
        while !Task.isCancelled {
            if let request = await request(link) {
                // One that fails is asked for again, as one that ends is.
                try? await request.follow { event in
                    feed.relay(event.type, event.data)
                    return !Task.isCancelled
                }
            }
            guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
        }
    }

    private func request(_ link: Link) async -> OutgoingRequest? {
        guard var url = URL(string: link.url)?.appending(path: "v1/live"),
            let token = try? await tokens.token([.read], lifetime: Self.lifetime)
        else { return nil }
        if let session = link.session { url.append(queryItems: [.init(name: "session", value: session)]) }
        return OutgoingRequest(
            url, headers: ["Authorization": "Bearer \(token.token)", "Sightline-Node": directory.node])
    }
}
