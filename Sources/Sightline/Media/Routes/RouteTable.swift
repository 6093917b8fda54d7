// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The ends that a publication is connected to, and which of them its figures come from.
///
/// Pure. While a session changes its way there are old and new ones side by side; the old count until the last of
/// them has gone, so that each change shows once.
struct RouteTable {
    private var connected: [(end: RouteEnd, source: MediaSource)] = []
    private var withoutVideo: Set<RouteEnd> = []
    private var showsRouter = true

    /// Where the figures come from.
    var shown: [MediaSource] {
        connected.filter { ($0.end == .router) == showsRouter }.map(\.source)
    }

    /// A peer connection carries the media to an end from now on.
    mutating func activate(_ source: MediaSource, _ end: RouteEnd) {
        if let index = connected.firstIndex(where: { $0.end == end }) {
            connected[index].source = source
        } else {
            connected.append((end, source))
        }
        choose()
    }

    /// A peer connection is closed.
    mutating func drop(_ leg: String) {
        connected.removeAll { $0.source.leg == leg }
        choose()
    }

    /// Ends are no longer to be connected to.
    mutating func forget(_ isOver: (RouteEnd) -> Bool) {
        connected.removeAll { isOver($0.end) }
        withoutVideo = withoutVideo.filter { !isOver($0) }
        choose()
    }

    /// What the subscriber at an end wants; whether that is new.
    mutating func note(_ end: RouteEnd, subscribesToVideo: Bool) -> Bool {
        subscribesToVideo ? withoutVideo.remove(end) != nil : withoutVideo.insert(end).inserted
    }

    /// Whether the subscriber at an end wants video; the router always does.
    func subscribesToVideo(_ end: RouteEnd) -> Bool { !withoutVideo.contains(end) }

    private mutating func choose() {
        if shown.isEmpty, !connected.isEmpty { showsRouter.toggle() }
    }
}
