// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// From which leg a subscription takes its media, and when it goes over to another.
///
/// Pure. Whatever is new stands beside what is there until media arrives by it; then the old goes.
struct RouteHandover {
    /// The leg that media is taken from.
    private(set) var current: LegName?
    /// Whether a connection to the media router is wanted: as the server says, or until something else has taken over.
    private(set) var wantsRouter = false
    private var routerLeg: LegName?
    /// Legs that publishers have offered, and whether each is connected.
    private var offered: [LegName: Bool] = [:]

    /// Whether the media comes from the router.
    var isRouted: Bool { current != nil && current == routerLeg }

    /// The server says whether the media is to come from the router.
    mutating func want(router: Bool) -> [RoutePlan.Step] {
        guard let current else {
            wantsRouter = wantsRouter || router
            return []
        }
        if router {
            wantsRouter = true
            // What the server heard before it changed its mind may have said otherwise.
            return current == routerLeg ? [.settled(current)] : []
        }
        guard offered[current] != nil else { return [] }
        forgetRouter()
        return [.settled(current)]
    }

    /// A publisher offers a leg, or offers it again.
    mutating func offer(_ leg: LegName) -> [RoutePlan.Step] {
        offered[leg] = offered[leg] ?? false
        return []
    }

    /// An offer was answered.
    mutating func answer(_ leg: LegName) -> [RoutePlan.Step] {
        // The first has nothing beside it that could deliver media instead.
        current == nil ? take(leg) : []
    }

    /// An offered leg is closed.
    mutating func drop(_ leg: LegName) -> [RoutePlan.Step] {
        offered[leg] = nil
        return []
    }

    /// A new leg to the router is ready.
    mutating func activateRouter(_ leg: LegName) -> [RoutePlan.Step] {
        guard wantsRouter else { return [] }
        let isInPlace = current == nil || current == routerLeg
        routerLeg = leg
        return isInPlace ? take(leg) : []
    }

    /// Something happened on the leg to the router.
    mutating func routerReported(_ event: RouteEvent) -> [RoutePlan.Step] {
        guard let routerLeg else { return [] }
        if current == routerLeg { return [.report(event)] }
        return event == .connected ? [.awaitFrame(routerLeg)] : []
    }

    /// Something happened on an offered leg.
    mutating func offeredReported(_ leg: LegName, _ event: RouteEvent) -> [RoutePlan.Step] {
        guard offered[leg] != nil else { return [] }
        offered[leg] = event == .connected
        let isCurrent = leg == current
        switch event {
        case .connected: return [isCurrent ? .report(event) : .awaitFrame(leg)]
        // Only the publisher can make another offer.
        case .lost: return (isCurrent ? [.report(event)] : []) + [.legLost(leg)]
        default: return isCurrent ? [.report(event)] : []
        }
    }

    /// Takes the media from a leg from now on: it has delivered, or had the time to.
    mutating func take(_ leg: LegName) -> [RoutePlan.Step] {
        let isDirect = offered[leg] != nil
        guard leg != current, isDirect || leg == routerLeg else { return [] }
        let isFirst = current == nil
        current = leg
        var steps: [RoutePlan.Step] = [.activate([leg], isRelayed: isDirect), .settled(leg)]
        if !isFirst, offered[leg] != false { steps.append(.report(.connected)) }
        let old = offered.keys.filter { $0 != leg }.sorted()
        for leg in old { offered[leg] = nil }
        if isDirect { forgetRouter() }
        return steps + old.map { .drop($0) }
    }

    private mutating func forgetRouter() {
        wantsRouter = false
        routerLeg = nil
    }
}
