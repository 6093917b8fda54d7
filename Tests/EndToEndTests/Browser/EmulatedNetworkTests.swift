// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import LibWebRTC
import MediaEngine
import SessionServer
import Sightline
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Browsers whose networks are made worse at the router's end of their paths: they know nothing of it.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct EmulatedNetworkTests {
        @Test(
            "loss on a browser's downlink, set by the API in mid-call, is diagnosed as such, and is over when it ends"
        )
        func browser() async throws {
            try await Watched.run { call in
                try await call.wait("a good call") { call.isGood($0) }
                #expect(try await call.network().since == nil)
                try await call.ask("PUT", #"{"down":{"loss":8}}"#)
                try await call.wait("its diagnosis") { call.isLossy($0) }
                // Of a hundred packets, 8 % may well be 3 % or 14 %.
                try await call.wait("enough packets to tell how many are lost") { _ in
                    try await call.network().counters?.down.packetsOffered ?? 0 > 1000
                }
                let before = try #require(try await call.network().counters)
                #expect((0.04...0.14).contains(before.down.lossFraction ?? 0))
                #expect(before.up.droppedByLoss == 0 && before.up.packetsOffered > 0)
                // The other router has to do the same, and what it does is added.
                call.server.killRouter()
                try await call.wait("more that is lost, by another router") { _ in
                    let now = try await call.network().counters
                    return (now?.down.droppedByLoss ?? 0) > before.down.droppedByLoss + 40
                }
                try await call.wait("its diagnosis again") { call.isLossy($0) }
                try await call.ask("DELETE")
                try await call.wait("a good call again") { call.isGood($0) }
                #expect(try await call.network().since == nil)
            }
        }

        @Test("the dashboard has sliders for a browser in the call, which make its network bad, and says so")
        func sliders() async throws {
            try await Watched.run { call in
                let token = try await call.server.apiToken([.read, .names, .emulate])
                let page = try await call.browser.open(
                    "\(call.server.url)/#token=\(token)&session=\(call.session)")
                try await page.show(width: 1280)
                try await page.wait("everyone's sliders", for: "all('details').length === 2")
                try await page.wait("both well", for: #"says("bob", /excellent|good/)"#)
                try await page.evaluate("participant('details', 'bob').open = true")
                let slider = #"participant("details", "bob").querySelector("[id$=-down-loss]")"#
                try await page.evaluate("\(slider).focus()")
                try await page.press("ArrowRight", times: 8)
                try await page.wait(
                    "the verdict", for: #"says("bob", /packet loss[^]*To blame: bob’s network \(downlink\)/)"#
                )
                try await page.wait(
                    "what was done to the packets",
                    for:
                        #"/[1-9][0-9]* packets, [1-9][0-9]* lost/.test(participant("details", "bob").innerText)"#
                )
                #expect(try await page.evaluate("\(slider).value") == "8")
                try await page.wait(
                    "that it was, in the log", for: "/network is emulated/.test(find('.log').innerText)")
                try await page.keepScreenshot("session-emulated-browser")
                try await page.evaluate("\(slider).focus()")
                try await page.press("Home")
                try await page.wait(
                    "the recovery", for: #"says("bob", /excellent|good/) && !says("bob", /To blame/)"#)
                #expect(try await call.network().since == nil)
                // Without the scope nothing is offered, nor asked for in vain.
                let reader = try await call.server.apiToken([.read, .names])
                let other = try await Chromium()
                let quiet = try await other.open(
                    "\(call.server.url)/#token=\(reader)&session=\(call.session)")
                try await quiet.wait("the call", for: #"says("bob", /excellent|good/)"#)
                #expect(try await quiet.evaluate("all('details').length") == "0")
                #expect(other.problems.isEmpty, "\(other.problems)")
                try await other.close()
                #expect(call.browser.problems.isEmpty, "\(call.browser.problems)")
            }
        }
    }
}

/// A native client's stream, watched by a browser, on a server that emulates networks.
private struct Watched {
    let server: ServerProcess
    let browser: Chromium
    let session: String
    /// The browser's.
    let connection: String

    static func run(_ body: (Watched) async throws -> Void) async throws {
        let server = try await ServerProcess(["--allow-network-emulation", "--keep-names"])
        let session = try await server.createSession()
        let alice = try TestClient(
            "alice", url: server.url, token: try await server.token(session, .publisher, "alice"),
            engine: try LibWebRTCEngine())
        try await alice.connect()
        try await alice.publish()
        let browser = try await Chromium()
        let result: Result<Void, any Error>
        do {
            let page = try await browser.open(
                "\(server.url)/join#token=\(try await server.token(session, .subscriber, "bob"))")
            try await page.wait("the choices", for: "find('#watch')")
            try await page.evaluate("find('#watch').click()")
            try await page.wait(
                "frames",
                for: "all('video').some((one) => one.getVideoPlaybackQuality().totalVideoFrames > 20)")
            let other = try #require(alice.session.connections.first { $0.name == "bob" })
            let call = Watched(
                server: server, browser: browser, session: session, connection: other.connectionId)
            result = .success(try await body(call))
        } catch { result = .failure(error) }
        try await browser.close()
        await alice.session.disconnect()
        try await server.end()
        try result.get()
    }

    /// Waits until what the server says of the last seconds of the browser's video is as wanted.
    func wait(_ what: String, _ condition: ([Diagnosis]) async throws -> Bool) async throws {
        try await eventually(what, within: .seconds(60)) { try await condition(try await diagnoses()) }
    }

    /// The last three seconds' causes, and nothing else.
    func isGood(_ diagnoses: [Diagnosis]) -> Bool {
        diagnoses.count >= 3 && diagnoses.suffix(3).allSatisfy { $0.cause == .none }
    }

    /// Whether loss on the browser's own downlink is what is wrong.
    func isLossy(_ diagnoses: [Diagnosis]) -> Bool {
        diagnoses.suffix(3).contains {
            $0.cause == .packetLoss && $0.side == .local && $0.direction == .downlink
        }
    }

    private func diagnoses() async throws -> [Diagnosis] {
        struct Samples: Decodable { var samples: [SampleEntry] }
        let from = Int(Date().timeIntervalSince1970 * 1000) - 8000
        let found = try await server.get(
            "v1/sessions/\(session)/samples?connection=\(connection)&observer=client&from=\(from)&limit=100",
            Samples.self)
        return found.samples.compactMap(\.sample.diagnosis)
    }

    /// The browser's network.
    func network() async throws -> ParticipantNetwork {
        try JSONDecoder().decode(ParticipantNetwork.self, from: await ask("GET"))
    }

    @discardableResult
    func ask(_ method: String, _ body: String? = nil) async throws -> Data {
        let address = "\(server.url)/v1/sessions/\(session)/connections/\(connection)/network"
        var request = URLRequest(url: try #require(URL(string: address)), timeoutInterval: 30)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(
            "Bearer \(try await server.apiToken([.emulate]))", forHTTPHeaderField: "Authorization")
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        try #require((200...204).contains(status), "\(status): \(String(decoding: data, as: UTF8.self))")
        return data
    }
}
