// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

/// How what `observe.js` reads gets to the server: by a socket or by requests, and how often.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct ObserverSendingTests {
        @Test("it sends by a socket where one can be had: its token once, and no request")
        func socket() async throws {
            let said = try await ObserverScript.run(
                """
                reply = () => ({ status: 200 });
                connect("well");
                await pass(10);
                const [{ address, said }] = sockets;
                observer.stop();
                await pass(1);
                say({
                    sockets: sockets.length, requests: requests.length, address, token: said[0].token.startsWith("e30."),
                    reports: said.slice(1).flatMap(({ reports }) => reports).length, over: sockets[0].isOver,
                    tokens: said.filter(({ token }) => token).length, clients: said.filter(({ client }) => client).length,
                });
                """)
            #expect(said["sockets"]?.number == 1 && said["requests"]?.number == 0)
            #expect(said["address"]?.text == "wss://quality.example.org/v1/calls/call/reports")
            #expect(said["token"] == .bool(true) && said["tokens"]?.number == 1)
            #expect(said["reports"]?.number ?? 0 >= 9 && said["clients"]?.number == 1)
            #expect(said["over"] == .bool(true))
        }

        @Test("what the server answers by a socket counts as a request's answer does")
        func socketAnswers() async throws {
            let said = try await ObserverScript.run(
                """
                connect("well");
                let next = { status: 200 };
                reply = ({ token }) => (token ? { status: 200 } : next);
                await pass(3);
                next = { status: 200, accepted: 0, restart: ["well"] };
                await pass(1);
                next = { status: 200 };
                await pass(2);
                const whole = sockets[0].said.flatMap(({ reports }) => reports ?? []).filter(({ changes }) => changes[0] < 0).length;
                next = { status: 429, retryAfter: 20 };
                const before = sockets[0].said.length;
                await pass(11);
                say({ whole, refused: sockets[0].said.length - before, sockets: sockets.length });
                """)
            #expect(said["whole"]?.number == 2)
            #expect(said["refused"]?.number == 1 && said["sockets"]?.number == 1)
        }

        @Test("what a lost socket had not answered is sent again, by another socket or by requests")
        func lostSocket() async throws {
            let said = try await ObserverScript.run(
                """
                reply = () => ({ status: 200 });
                connect("well");
                await pass(3);
                reply = () => null;
                await pass(1);
                reply = () => ({ status: 200 });
                sockets[0].close();
                await pass(12);
                const second = sockets[1].said.slice(1).flatMap(({ reports }) => reports);
                const unanswered = sockets[0].said.at(-1).reports[0];
                reply = null;
                sockets[1].close();
                await pass(80);
                say({
                    again: JSON.stringify(second[0]) === JSON.stringify(unanswered), second: second.length, requests: requests.length,
                    tries: sockets.slice(2).map(({ at }) => at),
                });
                """)
            #expect(said["again"] == .bool(true) && said["second"]?.number ?? 0 >= 3)
            #expect(said["requests"]?.number ?? 0 >= 70)
            let tries = try #require(said["tries"]?.list)
            // At once, after half a minute, and not again for a minute.
            #expect(tries.count == 2 && (tries[1].number ?? 0) - (tries[0].number ?? 0) >= 30_000)
        }

        @Test(
            "a socket whose answer does not come is given up; one that refuses the token ends it by a request's answer",
            arguments: [true, false])
        func silentSocket(isRefused: Bool) async throws {
            let said = try await ObserverScript.run(
                """
                connect("well");
                reply = ({ token }) => (\(isRefused) ? { status: 401 } : token ? { status: 200 } : null);
                if (\(isRefused)) answer = () => refusal(401);
                await pass(40);
                say({
                    sockets: sockets.length, open: sockets.filter(({ isOver }) => !isOver).length, over: observer.isOver,
                    requests: requests.length, kept: observer.queue.reports.length,
                });
                """)
            #expect(said["over"] == .bool(isRefused) && said["requests"]?.number == (isRefused ? 1 : 0))
            #expect(said["open"]?.number ?? 9 <= 1 && said["kept"]?.number ?? 999 <= 64)
            if isRefused {
                #expect(said["sockets"]?.number == 1)
            } else {
                #expect(said["sockets"]?.number ?? 0 >= 2)
            }
        }

        @Test(
            "on a poor uplink it sends less often, for a request has a long head",
            arguments: [(600_000, 20), (400_000, 10), (200_000, 4)])
        func poorUplink(estimate: Int, requests: Int) async throws {
            let said = try await ObserverScript.run(
                """
                connect("narrow").report = () => [
                    { type: "outbound-rtp", id: "O", ssrc: 7, packetsSent: now },
                    { type: "candidate-pair", id: "P", nominated: true, availableOutgoingBitrate: \(estimate) },
                ];
                await pass(10);
                const before = requests.length;
                await pass(20);
                say({ requests: requests.length - before });
                """)
            #expect(said["requests"]?.number == Double(requests))
        }

        @Test(
            "by a socket it sends each second where by requests it would not, and less often on a poor uplink",
            arguments: [(400_000, 20), (200_000, 10), (100_000, 4)])
        func poorUplinkOfSocket(estimate: Int, reports: Int) async throws {
            let said = try await ObserverScript.run(
                """
                reply = () => ({ status: 200 });
                connect("narrow").report = () => [
                    { type: "outbound-rtp", id: "O", ssrc: 7, packetsSent: now },
                    { type: "candidate-pair", id: "P", nominated: true, availableOutgoingBitrate: \(estimate) },
                ];
                await pass(10);
                const before = sockets[0].said.length;
                await pass(20);
                say({ reports: sockets[0].said.length - before });
                """)
            #expect(said["reports"]?.number == Double(reports))
        }
    }
}
