// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import Sightline

@Suite("Which of a publication's destinations cannot be reached")
struct PathHealthTests {
    private static let bob = RouteDestination.subscriber(
        SubscriberConnection(connectionId: "b", subscriberId: "1"))
    private static let carol = RouteDestination.subscriber(
        SubscriberConnection(connectionId: "c", subscriberId: "2"))

    @Test("Without a way to the router this client's network is broken")
    func router() {
        var paths = PathHealth()
        #expect(paths.state == .working && paths.loss == nil)
        paths.broke(.router, "gone")
        #expect(paths.state == .broken && paths.loss == "gone")
        paths.restored(.router)
        #expect(paths.state == .working && paths.loss == nil)
    }

    @Test("One of several subscribers that is out of reach is no fault of this client; all of them are")
    func several() {
        var paths = PathHealth()
        paths.want([Self.bob, Self.carol])
        paths.broke(Self.bob, "crashed")
        #expect(paths.state == .working && paths.loss == nil)
        paths.broke(Self.carol, "crashed")
        #expect(paths.state == .broken && paths.loss == "crashed")
        paths.restored(Self.carol)
        #expect(paths.state == .working && paths.loss == nil)
    }

    @Test(
        "Of a single subscriber that is out of reach no one knows whose fault it is; once it has left nothing is missed"
    )
    func single() {
        var paths = PathHealth()
        paths.want([Self.bob])
        paths.broke(Self.bob, "crashed")
        #expect(paths.state == .unreachable && paths.loss == "crashed")
        paths.want([])
        #expect(paths.state == .working && paths.loss == nil)
        paths.broke(Self.bob, "late")
        paths.want([Self.bob])
        #expect(paths.state == .working, "what was not wanted was not missed")
    }

    @Test("What broke for all is back one by one")
    func all() {
        var paths = PathHealth()
        paths.want([Self.bob, Self.carol])
        paths.broke(nil, "restarted")
        #expect(paths.state == .broken)
        paths.restored(Self.bob)
        #expect(paths.state == .working)
    }
}
