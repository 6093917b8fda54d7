// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import TestSupport
import Testing

/// The page of the guide for browsers, as it stands there, on an app's own origin.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(4)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct BrowserClientTests {
        @Test("the guide's page makes a call, shows everyone's network, and warns of a silent microphone")
        func walk() async throws {
            try await GuidePages.run { try await Self.walk($0) }
        }

        /// No one hears themselves.
        private static let ownAudio = "all('video').find((one) => one.muted).srcObject.getAudioTracks()[0]"

        private static func walk(_ guide: GuidePages) async throws {
            let (alice, bob) = (try await guide.open("alice"), try await guide.open("bob"))
            for page in [alice, bob] { try await watch(page) }
            // Silent, and no one was informed that it is muted: as a microphone that is broken.
            try await alice.evaluate("\(Self.ownAudio).enabled = false")
            try await alice.wait("the warning", for: "find('#warnings').innerText === 'zeroAudioLevel'")
            try await alice.evaluate("\(Self.ownAudio).enabled = true")
            try await alice.wait("its end", for: "find('#warnings').innerText === ''")
            try await alice.keepScreenshot("browser-client")
            try await bob.evaluate("find('#leave').click()")
            try await alice.wait("bob has left", for: "all('figure').length === 1")
            #expect(guide.browser.problems.isEmpty, "\(guide.browser.problems)")
        }

        @Test("loss on an uplink is the own network's to its page, and the other side's to who receives")
        func lossyUplink() async throws {
            try await GuidePages.run { try await Self.loseUplink($0) }
        }

        private static func loseUplink(_ guide: GuidePages) async throws {
            let alice = try await guide.open("alice", script: LostWay.script)
            let path = try await LostWay.lead(alice)
            defer { path.end() }
            let bob = try await guide.open("bob")
            for page in [alice, bob] { try await watch(page) }
            path.lose(20)
            try await alice.wait(
                "what is wrong with what she sends",
                for: "all('figure p').some((one) => /parts of what you send/.test(one.innerText))",
                within: .seconds(60))
            try await bob.wait(
                "what is wrong with what he receives",
                for: "all('figure p').some((one) => /^The other side/.test(one.innerText))",
                within: .seconds(60))
            for page in [alice, bob] {
                try await page.wait(
                    "alice's bars",
                    for: """
                        all("sightline-bars").find((bars) => bars.getAttribute("label") === "Network of alice").level <= 2
                        """)
            }
        }

        /// Waits until both participants are seen, and their networks are known to be good.
        private static func watch(_ page: BrowserPage) async throws {
            try await page.wait(
                "both participants",
                for: """
                    all("video").length === 2
                        && all("video").every((one) => one.getVideoPlaybackQuality().totalVideoFrames > 10)
                    """)
            try await page.wait(
                "their networks",
                for: """
                    all("sightline-bars").length === 2 && all("sightline-bars").every((bars) =>
                        bars.level >= 4 && bars.getAttribute("role") === "img"
                            && /^Network of (alice|bob): [45] of 5$/.test(bars.getAttribute("aria-label")))
                    """, within: .seconds(60))
        }
    }
}

/// The guide's page in a browser for each who opens it, and a server that lets its origin in.
private struct GuidePages {
    let browser: Chromium
    private let server: ServerProcess
    private let app: AppPages
    private let session: String

    static func run(_ body: (GuidePages) async throws -> Void) async throws {
        try await AppPages.run { app in
            // Browsers ask for it, and note what is missing.
            try app.write("", to: "favicon.ico")
            let server = try await ServerProcess(["--allow-origin", app.origin])
            let browser = try await Chromium()
            let result: Result<Void, any Error>
            do {
                let session = try await server.createSession()
                let pages = GuidePages(browser: browser, server: server, app: app, session: session)
                result = .success(try await body(pages))
            } catch { result = .failure(error) }
            try await browser.close()
            try await server.end()
            try result.get()
        }
    }

    /// Opens the page as a participant; `script` runs in it before its own.
    func open(_ name: String, script: String? = nil) async throws -> BrowserPage {
        let page = try #require(try EndToEnd.ObservedGuideTests.blocks("html", of: "browser-client").first)
        let token = try await server.token(session, .publisher, name)
        try app.write(
            page.replacing("https://calls.example.org", with: server.url).replacing("TOKEN", with: token),
            to: "\(name).html")
        return try await browser.open("\(app.origin)/\(name).html", script: script)
    }
}

/// Leads what a page's first peer connection sends over a path that can lose it.
private enum LostWay {
    /// Keeps the page's own candidates from the router, and the router's from the page until their port is another.
    static let script = """
        const listen = RTCPeerConnection.prototype.addEventListener;
        RTCPeerConnection.prototype.addEventListener = function (type, ...rest) {
            if (type !== "icecandidate" || window.first) listen.call(this, type, ...rest);
            if (type === "icecandidate") window.first ??= this;
        };
        const describe = RTCPeerConnection.prototype.setRemoteDescription;
        const line = /(candidate:\\S+ 1 udp \\d+ )([\\d.]+) (\\d+)/i;
        const own = new Promise((resolve) => { window.lead = resolve; });
        const divert = async (text) => {
            const found = line.exec(text);
            if (!found) return "";
            window.found ??= `${found[2]} ${found[3]}`;
            return text.replace(line, `$1127.0.0.1 ${await own}`);
        };
        RTCPeerConnection.prototype.setRemoteDescription = async function (description) {
            if (this !== window.first) return describe.call(this, description);
            const lines = await Promise.all(description.sdp.split("\\r\\n").map(async (one) =>
                (one.startsWith("a=candidate:") ? divert(one) : one)));
            const sdp = lines.filter((one) => one).concat("").join("\\r\\n");
            return describe.call(this, { type: description.type, sdp });
        };
        const add = RTCPeerConnection.prototype.addIceCandidate;
        RTCPeerConnection.prototype.addIceCandidate = async function (candidate) {
            if (this !== window.first || !candidate.candidate) return add.call(this, candidate);
            const text = await divert(candidate.candidate);
            return text ? add.call(this, { ...candidate, candidate: text }) : undefined;
        };
        """

    /// The path, once it is known where it leads to.
    static func lead(_ page: BrowserPage) async throws -> LossyPath {
        try await page.wait("the router's address", for: "window.found")
        let found = try await page.evaluate("window.found").split(separator: " ")
        let port = try #require(found.last.flatMap { UInt16($0) })
        let path = try LossyPath(to: String(found[0]), port: port)
        try await page.evaluate("window.lead(\(path.port))")
        return path
    }
}
