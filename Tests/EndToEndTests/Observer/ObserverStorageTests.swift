// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing
import WebRTCStats

/// What `observe.js` keeps until the server has said that it is stored.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct ObserverStorageTests {
        @Test(
            "while the server stores what it has, it is measured as before, and sent together once that is acknowledged"
        )
        func slowStore() async throws {
            let said = try await ObserverScript.run(
                """
                reply = () => ({ status: 200 });
                connect("well");
                await pass(3);
                reply = () => ({ received: true });
                await pass(8);
                const [waiting, step] = [observer.queue.reports.length, observer.pace.step];
                const sent = sockets[0].said.length;
                reply = () => ({ status: 200 });
                sockets[0].onmessage({ data: JSON.stringify({ status: 200 }) });
                await pass(1);
                const together = sockets[0].said.at(-1).reports.length;
                await pass(2);
                say({ waiting, step, more: sockets[0].said.length - sent, together, left: observer.queue.reports.length });
                """)
            #expect(said["waiting"]?.number == 8 && said["step"]?.number == 0)
            #expect(said["together"]?.number == 8 && said["more"]?.number == 3 && said["left"]?.number == 0)
        }

        @Test("by requests, too, what is held by the server for a moment is no poor uplink")
        func slowRequests() async throws {
            let said = try await ObserverScript.run(
                """
                answer = () => new Promise((done) => { setTimeout(() => done(taken), 3200); });
                connect("well");
                await pass(12);
                say({ step: observer.pace.step, requests: requests.length, reports: requests.flatMap(({ reports }) => reports).length });
                """)
            #expect(said["step"]?.number == 0 && said["requests"]?.number == 3)
            #expect(said["reports"]?.number ?? 0 >= 8)
        }

        @Test(
            "what was not acknowledged is sent to a server that knows nothing of it: each report once more, the first one whole"
        )
        func forgetfulServer() async throws {
            let said = try await ObserverScript.run(
                """
                reply = () => ({ status: 200 });
                const connection = connect("well");
                connect("other");
                connection.report = () => [
                    { type: "outbound-rtp", id: "O", ssrc: 7, packetsSent: now },
                    ...(now > 5000 ? [{ type: "inbound-rtp", id: `I${now}`, ssrc: 8, packetsReceived: now }] : []),
                ];
                await pass(4);
                // It has the next ones, and no one is answered before it is killed.
                reply = ({ token }) => (token ? { status: 200 } : { received: true });
                await pass(4);
                const waiting = observer.queue.reports.map(({ time }) => time);
                const asked = [];
                reply = ({ token, reports }) => {
                    if (token) return { status: 200 };
                    const restart = [...new Set(reports.map((one) => one.peerConnection))];
                    if (asked.push(reports) === 1) return { status: 200, accepted: 0, restart };
                    return { status: 200, accepted: reports.length };
                };
                connection.signalingState = "closed";
                sockets[0].close();
                await pass(8);
                const [refused, ...heard] = asked;
                const own = heard.flat().filter((one) => one.peerConnection === "well");
                say({
                    changes: own.filter(({ changes }) => changes).map(({ changes }) => changes),
                    times: own.filter(({ time }) => time).map(({ time }) => time - 1.7e12).join(),
                    again: waiting.every((time) => heard.flat().some((one) => one.time === time)),
                    refused: refused[0].changes[0], closed: own.filter(({ closed }) => closed).length,
                    isLast: own.at(-1).closed, left: observer.queue.reports.length, past: observer.queue.past.size,
                });
                """)
            let reports = try ObserverScript.rebuild(said["changes"])
            let times = (said["times"]?.text ?? "").split(separator: ",").compactMap { Double($0) }
            #expect(reports.map(\.timestamp) == times.map { 1.7e12 + $0 } && times.count >= 4)
            #expect(reports.map { Double($0.outboundRTP.first?.packetsSent ?? 0) } == times)
            #expect(reports.last?.inboundRTP.map(\.packetsReceived) == [UInt64(times.last ?? 0)])
            #expect(said["again"] == .bool(true) && said["refused"]?.number ?? -1 > 0)
            #expect(said["closed"]?.number == 1 && said["isLast"] == .bool(true))
            #expect(said["left"]?.number ?? 9 <= 1 && said["past"]?.number == 0)
        }

        @Test(
            "a server that asks for whole reports without end is given the same a few times, and nothing grows"
        )
        func endlessRestarts() async throws {
            let said = try await ObserverScript.run(
                """
                answer = () => ({ ...taken, json: async () => ({ accepted: 0, restart: ["well"] }) });
                connect("well");
                await pass(60);
                const times = requests.flatMap(({ reports }) => reports).map(({ time }) => time);
                const counts = times.map((time) => times.filter((other) => other === time).length);
                say({ left: observer.queue.reports.length, most: Math.max(...counts), later: requests.length });
                """)
            #expect(said["left"]?.number ?? 99 <= 5 && said["most"]?.number ?? 99 <= 4)
            #expect(said["later"]?.number ?? 0 >= 50)
        }

        @Test("what waits is bounded: the oldest is given up, and what is left can be read")
        func overfull() async throws {
            let said = try await ObserverScript.run(
                """
                connect("well");
                connect("other");
                answer = () => refusal(503);
                await pass(1500);
                const kept = observer.queue.reports.length;
                answer = () => taken;
                requests.length = 0;
                await pass(60);
                const own = requests.flatMap(({ reports }) => reports).filter((one) => one.peerConnection === "well");
                say({ kept, changes: own.map(({ changes }) => changes), first: own[0].time - 1.7e12, last: own.at(-1).time - 1.7e12 });
                """)
            #expect(said["kept"]?.number ?? 0 > 150 && said["kept"]?.number ?? 999 <= 240)
            let reports = try ObserverScript.rebuild(said["changes"])
            #expect(said["first"]?.number ?? 0 > 600_000 && said["last"]?.number ?? 0 > 1_540_000)
            #expect(
                reports.allSatisfy { Double($0.outboundRTP[0].packetsSent ?? 0) == $0.timestamp - 1.7e12 })
        }

        @Test("what the server knows is found again in what it was sent", arguments: Seed.draw(5))
        func known(seed: UInt64) async throws {
            let said = try await ObserverScript.run(
                """
                const { ReportChanges } = await import("./client/changes.js");
                const { KnownReport } = await import("./observe/known.js");
                let state = \(seed % 2_147_483_646 + 1);
                const random = (bound) => (state = (state * 48271) % 2147483647) % bound;
                const kinds = ["inbound-rtp", "outbound-rtp", "transport", "candidate-pair"];
                const values = {
                    packetsReceived: () => random(1e9), bytesSent: () => random(2e9) * 1000, mid: () => `m${random(3)}`,
                    jitter: () => random(1e9) / 7e9, totalDecodeTime: () => random(1e9) / 333, active: () => random(2) === 0,
                };
                const changes = new ReportChanges(), known = new KnownReport();
                const whole = (report) => JSON.stringify(new ReportChanges().add(report).slice(1).map((one) => {
                    if (!Array.isArray(one)) return one;
                    const pairs = one.slice(2).reduce((all, value, at, list) => (at % 2 ? all : [...all, [value, list[at + 1]]]), []);
                    return [one[0], one[1], ...pairs.sort()];
                }).sort((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1)));
                let objects = [], different = 0;
                for (let second = 0; second < 300; second += 1) {
                    const timestamp = 1.7e12 + second * 1000 + random(1000) / 1000;
                    if (random(3) === 0) objects.push({ id: `o${second}`, type: kinds[random(4)] });
                    if (random(7) === 0) objects = objects.filter(() => random(3) > 0);
                    for (const one of objects) {
                        for (const name of Object.keys(values)) {
                            if (random(4) === 0) one[name] = values[name]();
                            if (random(15) === 0) delete one[name];
                        }
                        one.timestamp = random(9) === 0 ? timestamp - random(3000) : timestamp;
                    }
                    if (objects[0]) objects[0].timestamp = timestamp;
                    if (random(20) === 0) changes.restart();
                    const report = objects.map((one) => ({ ...one }));
                    if (report.length > 0 && whole(known.add(changes.add(report))) !== whole(report)) different += 1;
                }
                say({ different });
                """)
            #expect(said["different"]?.number == 0, "seed \(seed)")
        }
    }
}
