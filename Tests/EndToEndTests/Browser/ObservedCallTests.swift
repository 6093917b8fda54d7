// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import SessionServer
import TestSupport
import Testing

/// A page with a call of its own, which knows nothing of Sightline but the tag.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct ObservedCallTests {
        @Test("a page's own call is live with everyone in it, and both ends name whose uplink loses packets")
        func lossyUplink() async throws {
            try await OwnCall.run(["alice", "bob", "carol"]) { call in
                let paths = [
                    try await call.connect("alice", "bob"), try await call.connect("alice", "carol"),
                ]
                defer { paths.forEach { $0.end() } }
                let page = try await call.dashboard()
                try await page.wait(
                    "everyone, and well",
                    for: """
                        ["bob", "carol"].every((name) => says(name, /excellent|good/i, "receives alice"))
                            && says("alice", /excellent|good/i, "receives bob") && says("alice", /excellent|good/i, "sends")
                        """, within: .seconds(90))
                for path in paths { path.lose(25) }
                let began = ContinuousClock.now
                try await page.wait(
                    "the same side at both ends",
                    for: #"""
                        ["bob", "carol"].every((name) =>
                            says(name, /To blame: alice’s network \(uplink\)/, "receives alice"))
                            && says("alice", /To blame: alice’s network \(uplink\)/, "sends")
                        """#, within: .seconds(60))
                print("the uplink was named at both ends after \(ContinuousClock.now - began)")
                // What is known of the call as a whole is there when its page is opened.
                // The page of before answers until the new one is there, and of one that goes no screenshot can be had.
                try await page.evaluate("(globalThis.isOld = true, location.reload())")
                try await page.wait(
                    "the score",
                    for: #"!globalThis.isOld && /Score \d+ of 100/.test(find('.findings')?.innerText)"#)
                try await page.keepScreenshot("observed")
                // Nothing that comes from elsewhere is harmed.
                #expect(
                    try await page.evaluate(#"says("alice", /To blame: bob/, "receives bob")"#) == "false")
                // Whoever closes the page has left.
                try await call.pages["carol"]?.evaluate("location.replace('about:blank')")
                try await page.wait(
                    "carol has left", for: #"/carol left/.test(find('.log').innerText)"#, within: .seconds(60)
                )
            }
        }

        @Test("the script changes nothing about what it wraps")
        func wrapping() async throws {
            try await OwnCall.run(["alice"]) { call in
                let page = try #require(call.pages["alice"])
                let same = """
                    (async () => {
                        const connection = new RTCPeerConnection();
                        const checks = [
                            connection instanceof RTCPeerConnection, connection.constructor === RTCPeerConnection,
                            RTCPeerConnection.name === "RTCPeerConnection", RTCPeerConnection.length === 0,
                            typeof RTCPeerConnection.generateCertificate === "function",
                            Object.keys(connection).length === 0,
                            (() => { try { RTCPeerConnection(); return false; } catch (error) { return error instanceof TypeError; } })(),
                            (await navigator.mediaDevices.getUserMedia({ audio: true })) instanceof MediaStream,
                            (await navigator.mediaDevices.enumerateDevices()).length > 0,
                            await navigator.mediaDevices.getUserMedia({}).then(() => false, (error) => error instanceof TypeError),
                            await connection.addIceCandidate({ candidate: "nonsense", sdpMid: "0" })
                                .then(() => false, (error) => error instanceof DOMException),
                            class extends RTCPeerConnection {}.prototype instanceof RTCPeerConnection,
                        ];
                        connection.close();
                        return checks.join();
                    })()
                    """
                let checks = try await page.evaluate(same)
                #expect(!checks.contains("false") && checks.contains("true"), "\(checks)")
            }
        }
    }
}

/// Pages of an app that has nothing to do with Sightline, each in one of two browsers, and a server that observes them.
struct OwnCall {
    let server: ServerProcess
    let pages: [String: BrowserPage]
    private let viewer: Chromium

    /// - Parameter page: Makes a page of the observing server's address and the participant's name and token.
    static func run(
        _ names: [String], page: (_ server: String, _ name: String, _ token: String) -> String = Self.page,
        _ body: (OwnCall) async throws -> Void
    ) async throws {
        try await AppPages.run { try await run(names, page, $0, body) }
    }

    private static func run(
        _ names: [String], _ makePage: (String, String, String) -> String, _ app: AppPages,
        _ body: (OwnCall) async throws -> Void
    ) async throws {
        let server = try await ServerProcess(["--allow-origin", app.origin, "--keep-names"])
        let browsers = [try await Chromium(), try await Chromium()]
        let result: Result<Void, any Error>
        do {
            var pages: [String: BrowserPage] = [:]
            for (index, name) in names.enumerated() {
                let token = try await server.observerToken(call: "own-call", participant: name)
                try app.write(makePage(server.url, name, token), to: "\(name).html")
                let page = try await browsers[min(index, 1)].open("\(app.origin)/\(name).html")
                try await page.wait("the page", for: "document.readyState === 'complete' && window.call")
                pages[name] = page
            }
            result = .success(try await body(OwnCall(server: server, pages: pages, viewer: browsers[1])))
        } catch {
            result = .failure(error)
        }
        for browser in browsers { try await browser.close() }
        try await server.end()
        try result.get()
    }

    /// The session's page of the dashboard.
    func dashboard() async throws -> BrowserPage {
        let token = try await server.apiToken([.read, .names])
        let page = try await viewer.open("\(server.url)/#token=\(token)")
        try await page.show(width: 1280)
        try await page.wait("the call in the list", for: "find('.sessions a')")
        try await page.evaluate("find('.sessions a').click()")
        return page
    }

    /// Connects two, the first of whom sends over a path that can lose packets.
    func connect(_ first: String, _ second: String) async throws -> LossyPath {
        guard let caller = pages[first], let callee = pages[second] else {
            throw Chromium.Failure(description: "no such page")
        }
        let offer = try await caller.evaluate("call.offer('\(second)')")
        let answer = try await callee.evaluate(
            "call.answer('\(first)', \(Chromium.quoted(Self.withoutCandidates(offer))))")
        let (path, sdp) = try Self.lossyPath(to: answer)
        try await caller.evaluate("call.accept('\(second)', \(Chromium.quoted(sdp)))")
        return path
    }

    /// A path to where a description says, and the description of its beginning.
    static func lossyPath(to description: String) throws -> (path: LossyPath, description: String) {
        let candidates = description.split(separator: "\r\n").filter { $0.hasPrefix("a=candidate:") }
            .map { $0.split(separator: " ") }
        guard
            let found = candidates.first(where: { $0[2].lowercased() == "udp" && $0[4].contains(".") }),
            let port = UInt16(found[5])
        else { throw Chromium.Failure(description: "no candidate in \(description)") }
        let path = try LossyPath(to: String(found[4]), port: port)
        let candidate = "a=candidate:1 1 udp 2122260223 \(found[4]) \(path.port) typ host"
        return (
            path,
            withoutCandidates(description).replacing("a=ice-ufrag:", with: "\(candidate)\r\na=ice-ufrag:")
        )
    }

    static func withoutCandidates(_ sdp: String) -> String {
        sdp.split(separator: "\r\n", omittingEmptySubsequences: true)
            .filter { !$0.hasPrefix("a=candidate:") && !$0.hasPrefix("a=end-of-candidates") }
            .map { "\($0)\r\n" }.joined()
    }

    static func page(_ server: String, _: String, _ token: String) -> String {
        """
        <!doctype html>
        <title>A call</title>
        <script type="module" src="\(server)/web/observe/observe.js" data-token="\(token)"></script>
        <script>
        window.call = {
            peers: {},
            async peer(name) {
                const connection = new RTCPeerConnection();
                this.peers[name] = connection;
                this.media ??= await navigator.mediaDevices.getUserMedia(
                    { audio: true, video: { width: 160, height: 120, frameRate: 10 } });
                for (const track of this.media.getTracks()) connection.addTrack(track, this.media);
                connection.addEventListener("track", ({ streams: [media] }) => {
                    const video = document.createElement("video");
                    Object.assign(video, { srcObject: media, muted: true, autoplay: true });
                    document.body.append(video);
                });
                return connection;
            },
            async description(connection) {
                await connection.setLocalDescription();
                while (connection.iceGatheringState !== "complete") {
                    await new Promise((resolve) => setTimeout(resolve, 50));
                }
                return connection.localDescription.sdp;
            },
            async offer(name) { return this.description(await this.peer(name)); },
            async answer(name, sdp) {
                const connection = await this.peer(name);
                await connection.setRemoteDescription({ type: "offer", sdp });
                return this.description(connection);
            },
            async accept(name, sdp) { await this.peers[name].setRemoteDescription({ type: "answer", sdp }); },
        };
        </script>
        """
    }
}
