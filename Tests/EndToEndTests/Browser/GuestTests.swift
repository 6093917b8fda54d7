// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import LibWebRTC
import SessionServer
import SessionWire
import Sightline
import Synchronization
import TestSupport
import Testing

/// Browsers among other clients: a real browser, the real engine, server and router.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct GuestTests {
        @Test("a browser comes back to a server that was killed, as whoever it was")
        func restart() async throws {
            let server = try await ServerProcess()
            let session = try await server.createSession()
            let token = { try await server.token(session, .publisher, $0) }
            let alice = try TestClient(
                "alice", url: server.url, token: try await token("alice"), engine: try LibWebRTCEngine())
            try await alice.connect()
            try await alice.publish()
            try await Browser.run { browser in
                let guest = try await browser.join(server.url, try await token("guest"), as: "test-pattern")
                let subscriber = try await alice.subscribeToFirst()
                try await alice.waitForFrames(subscriber, within: .seconds(40))
                try await guest.waitForVideo(of: 1)
                let streams = alice.others.map(\.streamId)
                server.kill()
                try await guest.wait("its loss", for: "/coming back/.test(find('#status').innerText)")
                try await server.startAgain()
                try await guest.wait(
                    "its way back", for: "/^in the session as guest/.test(find('#status').innerText)")
                try await alice.waitForFrames(subscriber, within: .seconds(60))
                try await guest.waitForVideo(of: 1)
                #expect(alice.others.map(\.streamId) == streams)
                #expect(
                    alice.events.allSatisfy { if case .streamDestroyed = $0 { false } else { true } })
            }
            await alice.session.disconnect()
            try await server.end()
        }

        @Test(
            "a call with a browser goes relayed, routed and relayed again, and frames flow in both directions"
        )
        func adaptive() async throws {
            let harness = try await CallHarness(
                mediaMode: .adaptive, change: { $0.timeouts.relayedAgain = .seconds(2) })
            let alice = try TestClient(
                "alice", url: harness.url, token: try await harness.token(.publisher, "alice"),
                engine: try LibWebRTCEngine())
            try await alice.connect()
            let way = Way(try await alice.publish())
            try await Browser.run { browser in
                let guest = try await browser.join(
                    harness.url, try await harness.token(.publisher, "guest"), as: "camera")
                let subscriber = try await alice.subscribeToFirst()
                let watch = { (areRelayed: Bool) in
                    try await way.wait(areRelayed: areRelayed)
                    try await alice.waitForFrames(subscriber, within: .seconds(40))
                    try await guest.waitForVideo(of: 1)
                }
                try await watch(true)
                let carol = try await browser.join(
                    harness.url, try await harness.token(.subscriber, "carol"), as: "watch")
                try await carol.waitForVideo(of: 2)
                try await watch(false)
                try await carol.evaluate("find('#leave').click()")
                try await watch(true)
                #expect(browser.problems.isEmpty)
            }
            way.end()
            await alice.session.disconnect()
            try await harness.close()
        }

        @Test("two browsers see each other without the media router")
        func relayed() async throws {
            let harness = try await CallHarness(mediaMode: .relayed)
            try await Browser.run { browser in
                var pages: [BrowserPage] = []
                for name in ["left", "right"] {
                    pages.append(
                        try await browser.join(
                            harness.url, try await harness.token(.publisher, name), as: "camera"))
                }
                for page in pages { try await page.waitForVideo(of: 1) }
                #expect(browser.problems.isEmpty)
            }
            try await harness.close()
        }
    }
}

/// Which way a publisher's media takes.
private final class Way: Sendable {
    private let isRelayed = Mutex<Bool?>(nil)
    private let watching = Mutex<Task<Void, Never>?>(nil)

    init(_ publisher: Publisher) {
        let observations = publisher.observations()
        let task = Task {
            for await observation in observations {
                let leg = observation.legs.first
                isRelayed.withLock { $0 = leg.map { $0.connectionId != nil } }
            }
        }
        watching.withLock { $0 = task }
    }

    func wait(areRelayed: Bool) async throws {
        try await eventually("media \(areRelayed ? "relayed" : "routed")", within: .seconds(60)) {
            isRelayed.withLock { $0 == areRelayed }
        }
    }

    func end() { watching.withLock { $0?.cancel() } }
}

/// A browser for the time of a test.
enum Browser {
    static func run(_ body: (Chromium) async throws -> Void) async throws {
        let browser = try await Chromium()
        let result: Result<Void, any Error>
        do { result = .success(try await body(browser)) } catch { result = .failure(error) }
        try await browser.close()
        try result.get()
    }
}

extension Chromium {
    /// Opens the page for guests, and joins with what is chosen there.
    fileprivate func join(_ url: String, _ token: String, as choice: String) async throws -> BrowserPage {
        let page = try await open("\(url)/join#token=\(token)")
        try await page.wait("the choices", for: "find('#\(choice)')")
        try await page.evaluate("find('#\(choice)').click()")
        try await page.wait("the session", for: "/^in the session/.test(find('#status').innerText)")
        return page
    }
}

extension BrowserPage {
    /// Waits until this many others are seen, with frames that come from now on.
    fileprivate func waitForVideo(of count: Int) async throws {
        try await evaluate("globalThis.seen = null")
        try await wait(
            "frames of \(count)",
            for: """
                (() => {
                    const videos = all("video").filter((one) => one.dataset.own === "false");
                    const frames = videos.map((one) => one.getVideoPlaybackQuality().totalVideoFrames);
                    const first = globalThis.seen?.length === frames.length ? globalThis.seen : frames;
                    globalThis.seen = first;
                    return frames.length === \(count) && frames.every((one, index) => one > first[index] + 5);
                })()
                """)
    }
}
