// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Testing

@testable import Sightline

private let bob = RouteDestination.subscriber(.init(connectionId: "c1", subscriberId: "sb1"))
private let carol = RouteDestination.subscriber(.init(connectionId: "c2", subscriberId: "sb2"))
private let away = SightlineError(.routerUnavailable, "away")
private let forbidden = SightlineError(.forbidden, "no")
private let noPath = SightlineError(.mediaLost, RouteConnection.noPath)

private func route(_ destination: RouteDestination, _ number: Int) -> Route {
    Route(destination: destination, number: number)
}

@Suite("The plan of a publisher's routes")
struct PublisherRoutePlanTests {
    private static func plan() -> RoutePlan {
        RoutePlan(.publisher(ActiveRoutes()), recovery: RecoveryPlan(waits: [.zero, .seconds(1)]))
    }

    @Test("what is wanted is opened, what no longer is is closed, another generation is another connection")
    func wanted() {
        var plan = Self.plan()
        #expect(plan.handle(.wanted([bob: 0])) == [.open(route(bob, 1), after: .zero)])
        #expect(plan.handle(.wanted([bob: 0])) == [])
        #expect(plan.handle(.wanted([bob: 0, carol: 0])) == [.open(route(carol, 2), after: .zero)])
        #expect(
            plan.handle(.wanted([bob: 1, carol: 0])) == [
                .close(route(bob, 1)), .open(route(bob, 3), after: .zero),
            ])
        #expect(plan.handle(.wanted([:])) == [.close(route(carol, 2)), .close(route(bob, 3))])
    }

    @Test("a subscriber that cannot be opened is tried as often as the plan says, then given up")
    func attempts() {
        var plan = Self.plan()
        _ = plan.handle(.wanted([bob: 0]))
        #expect(
            plan.handle(.openingFailed(route(bob, 1), away))
                == [.close(route(bob, 1)), .open(route(bob, 2), after: .seconds(1))])
        #expect(plan.handle(.openingFailed(route(bob, 1), away)) == [], "it was closed")
        #expect(plan.handle(.openingFailed(route(bob, 2), away)) == [.giveUp(bob, away)])
    }

    @Test("the router is tried for as long as it is wanted, unless trying cannot help")
    func endless() {
        var plan = Self.plan()
        _ = plan.handle(.wanted([.router: 0]))
        for number in 1...5 {
            #expect(
                plan.handle(.openingFailed(route(.router, number), away))
                    == [
                        .close(route(.router, number)),
                        .open(route(.router, number + 1), after: .seconds(1)),
                    ])
        }
        #expect(plan.handle(.openingFailed(route(.router, 6), forbidden)) == [.giveUp(.router, forbidden)])
    }

    @Test("a subscriber's connection that has never connected in time is given up; one that has is not")
    func limit() {
        var plan = Self.plan()
        _ = plan.handle(.wanted([bob: 0, .router: 0]))
        let routes = plan.replaceable ?? []
        #expect(routes.count == 2)
        for route in routes {
            #expect(plan.handle(.opened(route)) == (route.destination == bob ? [.limit(route)] : []))
            #expect(plan.handle(.due(route)) == [.giveUp(route.destination, noPath)])
            #expect(
                plan.handle(.reported(route, .connected)) == [.report(.connected, of: route.destination)])
            #expect(plan.handle(.due(route)) == [])
        }
    }

    @Test("a failed connection to the router is made again without a word, one to a subscriber not")
    func failed() {
        var plan = Self.plan()
        _ = plan.handle(.wanted([.router: 0]))
        #expect(plan.handle(.reported(route(.router, 1), .lost("gone"))) == [.report(.lost("gone"))])
        #expect(
            plan.handle(.reported(route(.router, 1), .failed(away)))
                == [.close(route(.router, 1)), .open(route(.router, 2), after: .zero)])
        #expect(
            plan.handle(.reported(route(.router, 1), .failed(away))) == [], "a second word of the old one")
        _ = plan.handle(.wanted([bob: 0]))
        #expect(plan.handle(.reported(route(bob, 3), .failed(away))) == [.giveUp(bob, away)])
    }

    @Test("the figures are those of the old kind of routes until the last of them has gone")
    func active() {
        var plan = Self.plan()
        _ = plan.handle(.wanted([bob: 0]))
        #expect(plan.handle(.activated(route(bob, 1), leg: "d1")) == [.activate(["d1"], isRelayed: true)])
        _ = plan.handle(.wanted([bob: 0, .router: 0]))
        #expect(plan.handle(.activated(route(.router, 2), leg: "r1")) == [])
        #expect(
            plan.handle(.wanted([.router: 0])) == [
                .close(route(bob, 1)), .activate(["r1"], isRelayed: false),
            ])
        #expect(plan.handle(.dropped(leg: "d1")) == [])
        #expect(plan.handle(.dropped(leg: "r1")) == [.activate([], isRelayed: false)])
    }

    @Test("a server that was started over has forgotten all connections")
    func forgotten() {
        var plan = Self.plan()
        _ = plan.handle(.wanted([bob: 0]))
        #expect(plan.handle(.forgotten) == [.close(route(bob, 1))])
        #expect(plan.handle(.opened(route(bob, 1))) == [])
        #expect(plan.handle(.wanted([bob: 0])) == [.open(route(bob, 2), after: .zero)])
    }
}

@Suite("The plan of a subscriber's routes")
struct SubscriberRoutePlanTests {
    private static func plan(answering legs: [LegName] = []) -> RoutePlan {
        var plan = RoutePlan(.subscriber(RouteHandover()), recovery: RecoveryPlan(waits: [.zero]))
        for leg in legs {
            _ = plan.handle(.offered(leg: leg))
            _ = plan.handle(.answered(leg: leg))
        }
        return plan
    }

    private static let router = route(.router, 1)

    @Test("the first leg is taken at once, the next one when it delivers, and then the old one goes")
    func takesOver() {
        var plan = Self.plan()
        #expect(plan.handle(.offered(leg: "s/1")) == [])
        #expect(
            plan.handle(.answered(leg: "s/1")) == [.activate(["s/1"], isRelayed: true), .settled("s/1")])
        #expect(plan.handle(.offeredReported(leg: "s/1", .connected)) == [.report(.connected)])
        #expect(plan.handle(.offered(leg: "s/2")) + plan.handle(.answered(leg: "s/2")) == [])
        #expect(plan.handle(.offeredReported(leg: "s/2", .connected)) == [.awaitFrame("s/2")])
        #expect(
            plan.handle(.delivered(leg: "s/2")) == [
                .activate(["s/2"], isRelayed: true), .settled("s/2"), .report(.connected), .drop("s/1"),
            ])
        #expect(plan.handle(.delivered(leg: "s/1")) == [], "it is going")
    }

    @Test("from a publisher to the router, and back")
    func throughRouter() {
        var plan = Self.plan(answering: ["s/1"])
        #expect(plan.handle(.wanted([.router: 0])) == [.open(Self.router, after: .zero)])
        #expect(plan.replaceable == nil)
        #expect(plan.handle(.activated(Self.router, leg: "r1")) == [])
        #expect(plan.handle(.reported(Self.router, .connected)) == [.awaitFrame("r1")])
        #expect(
            plan.handle(.delivered(leg: "r1")) == [
                .activate(["r1"], isRelayed: false), .settled("r1"), .report(.connected), .drop("s/1"),
            ])
        #expect(plan.replaceable == [Self.router])
        #expect(plan.handle(.wanted([.router: 0])) == [.settled("r1")])
        #expect(plan.handle(.wanted([:])) == [], "nothing else delivers yet")
        _ = plan.handle(.offered(leg: "s/2"))
        #expect(
            plan.handle(.delivered(leg: "s/2")) == [
                .activate(["s/2"], isRelayed: true), .settled("s/2"), .close(Self.router),
            ])
    }

    @Test("a change of mind closes what has not delivered, and says again what has settled")
    func changeOfMind() {
        var plan = Self.plan(answering: ["s/1"])
        _ = plan.handle(.wanted([.router: 0]))
        #expect(plan.handle(.wanted([:])) == [.settled("s/1"), .close(Self.router)])
        #expect(plan.handle(.activated(Self.router, leg: "r1")) == [])
        #expect(plan.handle(.wanted([.router: 0])) == [.open(route(.router, 2), after: .zero)])
    }

    @Test("a leg that takes the place of another one at the router is taken at once")
    func replacedAtRouter() {
        var plan = Self.plan()
        _ = plan.handle(.wanted([.router: 0]))
        #expect(
            plan.handle(.activated(Self.router, leg: "r1"))
                == [.activate(["r1"], isRelayed: false), .settled("r1")])
        #expect(
            plan.handle(.activated(Self.router, leg: "r2")) == [
                .activate(["r2"], isRelayed: false), .settled("r2"), .report(.connected),
            ])
        #expect(plan.handle(.reported(Self.router, .interrupted)) == [.report(.interrupted)])
    }

    @Test("only the current leg's problems are reported, but the server is notified of every lost path")
    func problems() {
        var plan = Self.plan(answering: ["s/1", "s/2"])
        #expect(plan.handle(.offeredReported(leg: "s/2", .interrupted)) == [])
        #expect(plan.handle(.offeredReported(leg: "s/2", .lost("x"))) == [.legLost("s/2")])
        #expect(plan.handle(.offeredReported(leg: "s/1", .interrupted)) == [.report(.interrupted)])
        #expect(
            plan.handle(.offeredReported(leg: "s/1", .lost("x"))) == [.report(.lost("x")), .legLost("s/1")])
        _ = plan.handle(.dropped(leg: "s/2"))
        #expect(plan.handle(.offeredReported(leg: "s/2", .connected)) == [])
    }

    @Test("on a server that was started over everything begins again")
    func forgotten() {
        var plan = Self.plan(answering: ["s/1"])
        _ = plan.handle(.wanted([.router: 0]))
        #expect(plan.handle(.forgotten) == [.close(Self.router)])
        #expect(plan.handle(.delivered(leg: "s/1")) == [])
        _ = plan.handle(.offered(leg: "s/1"))
        #expect(
            plan.handle(.answered(leg: "s/1")) == [.activate(["s/1"], isRelayed: true), .settled("s/1")])
    }
}

@Suite("Which destinations a stream's figures come from")
struct ActiveRoutesTests {
    @Test("the old kind counts until its last one has gone, either way")
    func oldUntilGone() {
        var routes = ActiveRoutes()
        routes.activate("d1", bob)
        routes.activate("d2", carol)
        #expect(routes.shown == ["d1", "d2"])
        routes.activate("r1", .router)
        #expect(routes.shown == ["d1", "d2"])
        routes.drop("d1")
        #expect(routes.shown == ["d2"])
        routes.forget { $0 == carol }
        #expect(routes.shown == ["r1"])
        routes.activate("d3", bob)
        #expect(routes.shown == ["r1"])
        routes.drop("r1")
        #expect(routes.shown == ["d3"])
    }

    @Test("a replaced peer connection keeps its place, and its destination does not take the new one along")
    func replaced() {
        var routes = ActiveRoutes()
        routes.activate("d1", bob)
        routes.activate("d2", carol)
        routes.activate("d3", bob)
        routes.drop("d1")
        #expect(routes.shown == ["d3", "d2"])
    }
}
