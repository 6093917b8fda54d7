// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import SessionServer
import TestSupport
import Testing

/// What the guide says to pages that have rtcstats-js, walked in a browser; in place of the script its messages, as it has them.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(3)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct RTCStatsGuideTests {
        /// What a page says that sends audio, or receives it.
        private static func messages(sends: Bool) -> [String] {
            let start = 1_700_000_000_000
            var messages = [
                #"[39,null,{"hardwareConcurrency":4},\#(start)]"#, #"[39,"PC_0",{},1]"#,
                #"[25,"PC_0","connected",99]"#,
            ]
            for second in 1...4 {
                let new = second == 1 ? #""type":\#(sends ? 2 : 1),"10":7,"11":"audio","# : ""
                let counts =
                    sends
                    ? #""79":\#(50 * second),"80":\#(5000 * second)"#
                    : #""14":\#(50 * second),"15":0,"41":\#(5000 * second)"#
                let time = start + 1000 * second
                messages.append(
                    #"["g","PC_0",{"0":{\#(new)\#(counts)},"t":\#(time)},\#(second == 1 ? 900 : 1000)]"#)
            }
            return messages
        }

        @Test("the line of the guide connects a page, and both participants are in the call, paired")
        func walk() async throws {
            let server = try await ServerProcess(["--keep-names"])
            let browser = try await Chromium()
            let result: Result<Void, any Error>
            do { result = .success(try await Self.walk(server, browser)) } catch { result = .failure(error) }
            try await browser.close()
            try await server.end()
            try result.get()
        }

        private static func walk(_ server: ServerProcess, _ browser: Chromium) async throws {
            let line = try #require(
                try ObservedGuideTests.blocks("js").first { $0.contains("rtcstats-token") })
            for name in ["alice", "bob"] {
                let page = try await browser.open("\(server.url)/join#token=x")
                try await page.wait("the page", for: "find('#page')")
                let token = try await server.observerToken(call: "room", participant: name)
                let said = try await page.evaluate(
                    """
                    (async () => {
                        const token = "\(token)";
                        let socket;
                        const trace = {
                            connect(address) {
                                const own = address.replace("wss://quality.example.org", "\(server.url.replacing("http", with: "ws"))");
                                socket = new WebSocket(own, "rtcstats#5.0");
                            },
                        };
                        \(line)
                        await new Promise((done, failed) => { socket.onopen = done; socket.onclose = failed; });
                        for (const message of [\(messages(sends: name == "alice").joined(separator: ",\n"))]) {
                            socket.send(JSON.stringify(message));
                        }
                        return socket.protocol;
                    })()
                    """)
                #expect(said == "rtcstats#5.0")
            }
            try await eventually("both in the call, as two ends of one stream") {
                // The call is known soon after its first report.
                let summary = try? await server.get(
                    "v1/sessions/room", SessionSummary.self, [.read, .names])
                return Set(summary?.connections.compactMap(\.name) ?? []) == ["alice", "bob"]
                    && summary?.streams.count == 1 && summary?.flows.count == 2
            }
        }
    }
}
