// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Foundation
import SessionServer
import SessionWire
import Sightline
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The pre-call test of a page, with the real browser, server and router.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct BrowserNetworkTestTests {
        @Test("a page on a good network can publish audio and video, and hears how it does meanwhile")
        func good() async throws {
            try await TestingPage.run { page in
                try await page.begin()
                let report = try await page.report()
                #expect(report.verdict == .audioAndVideo && report.failure == nil, "\(report)")
                #expect(report.recommendation != nil && report.audio?.isSupported == true)
                #expect(try #require(report.uplink?.bandwidth) > 1_000_000)
                #expect(try #require(report.downlink?.bandwidth) > 1_000_000)
                #expect(report.audio?.mos != nil && report.video?.mos != nil)
                #expect(report.connectivity.selectedCandidatePair != nil)
                #expect(report.steps.map(\.step).suffix(3) == [.mediaReceived, .bandwidth, .quality])
                #expect(report.steps.allSatisfy { $0.outcome == .passed })
                #expect(
                    try await page.page.evaluate("seen.every((one, at) => !at || one >= seen[at - 1])")
                        == "true")
                #expect(try await page.page.evaluate("asked") == "false", "camera or microphone")
            }
        }

        @Test("on a narrow uplink a page is left audio, and the uplink is blamed and measured")
        func narrow() async throws {
            try await TestingPage.run(conditions: "up:rate=150") { page in
                try await page.begin()
                let report = try await page.report()
                #expect(report.verdict == .audioOnly, "\(report)")
                #expect(report.video?.reason?.direction == .uplink)
                #expect(report.video?.reason?.cause == .bandwidth)
                #expect(report.uplink?.supportsVideo == false && report.downlink?.supportsVideo == true)
                #expect((100_000...200_000).contains(try #require(report.uplink?.bandwidth)))
            }
        }

        @Test("a test that is stopped, or cannot be made, says why, and leaves nothing behind")
        func stops() async throws {
            try await TestingPage.run { page in
                try await page.begin("signal: AbortSignal.timeout(2000)")
                #expect(try await page.outcome().hasPrefix("TimeoutError"))
                try await page.begin(#"token: "nonsense""#)
                let refusal = try await page.outcome()
                #expect(refusal.hasPrefix("NetworkTestError tokenAccepted invalidToken"), "\(refusal)")
                #expect(refusal.contains("Get a new token"))
                try await page.wait("that it has left", isThere: false)
            }
        }

        @Test("guests may test their network before they join")
        func guest() async throws {
            let server = try await ServerProcess()
            let session = try await server.createSession()
            try await Browser.run { browser in
                let token = try await server.token(session, .publisher, "guest")
                let page = try await browser.open("\(server.url)/join#token=\(token)")
                try await page.wait("the choices", for: "find('#test')")
                try await page.evaluate("find('#test').click()")
                try await page.wait("the progress", for: "find('progress').value > 0")
                try await page.wait(
                    "the verdict", for: "/Audio and video are possible/.test(document.body.innerText)",
                    within: .seconds(60))
                try await page.evaluate("find('#test-pattern').click()")
                try await page.wait("the call", for: "/^in the session/.test(find('#status').innerText)")
            }
            try await server.end()
        }
    }
}

/// A page that tests its network.
private struct TestingPage {
    let server: ServerProcess
    let session: String
    let token: String
    let conditions: String?
    let page: BrowserPage

    /// Holds back what is said after the first word, until the network is emulated; notes who asks for a device.
    private static let script = """
        const { send } = WebSocket.prototype;
        let asked = false, connection = null, waiting = [], hold = HOLD;
        navigator.mediaDevices.getUserMedia = async () => { asked = true; throw new Error("no device"); };
        WebSocket.prototype.send = function (text) {
            const { type } = JSON.parse(text);
            if (type === "join") this.addEventListener("message", ({ data }) => {
                const message = JSON.parse(data);
                if (message.type === "joined") connection = message.connection.id;
            });
            if (!hold || type === "join") return send.call(this, text);
            waiting.push(() => send.call(this, text));
        };
        const release = () => { hold = false; for (const one of waiting.splice(0)) one(); };
        const seen = [];
        let outcome = null;
        """

    static func run(conditions: String? = nil, _ body: (TestingPage) async throws -> Void) async throws {
        let server = try await ServerProcess(["--allow-network-emulation"])
        let session = try await server.createSession()
        let token = try await server.token(session, .publisher, "page")
        try await Browser.run { browser in
            let page = try await browser.open(
                "\(server.url)/join#token=\(token)",
                script: script.replacing("HOLD", with: conditions == nil ? "false" : "true"))
            try await page.wait("the page", for: "find('#watch')")
            try await body(
                TestingPage(
                    server: server, session: session, token: token, conditions: conditions, page: page))
        }
        try await server.end()
    }

    /// Begins the test; `options` come after those that are always there.
    func begin(_ options: String = "") async throws {
        try await page.evaluate(
            """
            (outcome = null, import("/web/client/index.js").then(({ testNetwork }) => testNetwork({
                url: location.origin, token: \(Chromium.quoted(token)), onProgress: ({ fraction }) => seen.push(fraction), \(options)
            })).then(
                (report) => { outcome = JSON.stringify(report); },
                (error) => { outcome = [error.name, error.step, error.code, error.message].join(" "); }), 0)
            """)
        guard let conditions else { return }
        try await page.wait("the session", for: "connection")
        let connection = try await page.evaluate("connection")
        try await emulate(conditions, for: connection)
        try await page.evaluate("release()")
    }

    private func emulate(_ conditions: String, for connection: String) async throws {
        struct Network: Encodable { var conditions: String }
        struct Answer: Decodable {}
        _ = try await server.send(
            "PUT", "v1/sessions/\(session)/connections/\(connection)/network",
            Network(conditions: conditions), Answer.self)
    }

    /// What it ended with.
    func outcome() async throws -> String {
        try await page.wait("the end of the test", for: "outcome", within: .seconds(60))
        return try await page.evaluate("outcome")
    }

    func report() async throws -> NetworkTestReport {
        let outcome = try await outcome()
        do { return try JSONDecoder().decode(NetworkTestReport.self, from: Data(outcome.utf8)) } catch {
            throw Chromium.Failure(description: "\(outcome): \(error)")
        }
    }

    /// Waits until someone is in the session, or no one.
    func wait(_ what: String, isThere: Bool) async throws {
        struct List: Decodable {
            struct Network: Decodable {}
            var networks: [Network]
        }
        try await eventually(what, within: .seconds(20)) {
            let list = try await server.get("v1/sessions/\(session)/networks", List.self, [.emulate])
            return list.networks.isEmpty != isThere
        }
    }
}
