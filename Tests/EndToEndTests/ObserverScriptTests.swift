// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing
import WebRTCStats

/// What `observe.js` does when things fail, in virtual time and without a browser.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct ObserverScriptTests {
        /// Time, a server, and peer connections that are as the test wants them.
        private static let world = """
            let now = 0, last = 0;
            const timers = new Map();
            globalThis.setTimeout = (call, delay = 0) => { timers.set(++last, { call, at: now + delay }); return last; };
            globalThis.setInterval = (call, every) => { timers.set(++last, { call, every, at: now + every }); return last; };
            globalThis.clearTimeout = globalThis.clearInterval = (id) => { timers.delete(id); };
            const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true });
            define("performance", { now: () => now });
            define("navigator", { userAgent: "test" });
            Date.now = () => 1.7e12 + now;
            const settle = async () => { for (let count = 0; count < 100; count += 1) await null; };
            const pass = async (seconds) => {
                const end = now + 1000 * seconds;
                for (;;) {
                    const [id, timer] = [...timers].sort((a, b) => a[1].at - b[1].at)[0] ?? [];
                    if (!timer || timer.at > end) break;
                    now = timer.at;
                    if (timer.every) timer.at += timer.every; else timers.delete(id);
                    timer.call();
                    await settle();
                }
                now = end;
            };
            const requests = [], addresses = [];
            let answer = () => taken;
            const taken = { ok: true, status: 200, headers: new Map(), json: async () => ({ accepted: 1, restart: [] }) };
            const refusal = (status, headers = new Map()) => ({ ok: false, status, headers });
            globalThis.fetch = async (address, { body, signal }) => {
                requests.push({ at: now, ...JSON.parse(body) });
                addresses.push(address);
                return answer(signal);
            };
            // None can be had unless the test wants it; then the server answers what is asked.
            const sockets = [];
            let reply = null;
            globalThis.WebSocket = class {
                constructor(address) {
                    sockets.push(Object.assign(this, { address, at: now, said: [], isOver: false }));
                    Promise.resolve().then(() => (reply ? this.onopen() : this.onclose()));
                }
                send(text) {
                    const message = JSON.parse(text);
                    this.said.push({ at: now, ...message });
                    const answer = reply(message);
                    if (answer) Promise.resolve().then(() => this.onmessage({ data: JSON.stringify(answer) }));
                }
                close() {
                    if (this.isOver) return;
                    this.isOver = true;
                    Promise.resolve().then(() => this.onclose());
                }
            };
            const warnings = [];
            console.warn = (text) => warnings.push(text);
            class Connection extends EventTarget {
                signalingState = "stable";
                connectionState = "connected";
                getReceivers = () => [];
                getSenders = () => [];
                report = () => [{ type: "outbound-rtp", id: "O", ssrc: 7, packetsSent: now }];
                async getStats() {
                    const timestamp = 1.7e12 + now;
                    return new Map(this.report().map((one) => [one.id, { timestamp, ...one }]));
                }
            }
            const { start, tag } = await import("./observe/observe.js");
            const tokenFor = (call, participant) => `e30.${btoa(JSON.stringify({ observer: { call, participant } }))}.x`;
            const token = tokenFor("call", "alice"), server = "https://quality.example.org";
            const observer = start({ token, server, wraps: false });
            const connect = (name) => {
                const connection = new Connection();
                observer.observe(connection, { name });
                return connection;
            };
            const names = () => [...new Set(requests.flatMap(({ reports }) => reports.map((one) => one.peerConnection)))];
            const say = (value) => console.log(JSON.stringify(value));

            """

        /// What a script says, after its world.
        private static func run(_ script: String) async throws -> StatsValue {
            try await NodeScript.run(world + script)
        }

        @Test("a browser that does not answer for one peer connection keeps no other from being sent")
        func hanging() async throws {
            let said = try await Self.run(
                """
                connect("well");
                connect("hangs").getStats = () => new Promise(() => {});
                connect("fails").getStats = () => { throw new Error("no"); };
                connect("odd").report = () => [{ type: "outbound-rtp" }];
                await pass(5);
                say({ names: names().join(), requests: requests.length, odd: observer.peers.size });
                """)
            #expect(said["names"]?.text == "well" && said["requests"]?.number ?? 0 >= 4)
            #expect(said["odd"]?.number == 4)
        }

        @Test(
            "on a poor uplink it sends less often, for a request has a long head",
            arguments: [(600_000, 20), (400_000, 10), (200_000, 4)])
        func poorUplink(estimate: Int, requests: Int) async throws {
            let said = try await Self.run(
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

        @Test("it sends by a socket where one can be had: its token once, and no request")
        func socket() async throws {
            let said = try await Self.run(
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

        @Test(
            "by a socket it sends each second where by requests it would not, and less often on a poor uplink",
            arguments: [(400_000, 20), (200_000, 10), (100_000, 4)])
        func poorUplinkOfSocket(estimate: Int, reports: Int) async throws {
            let said = try await Self.run(
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

        @Test("what a lost socket had not answered is sent again, by another socket or by requests")
        func lostSocket() async throws {
            let said = try await Self.run(
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
            guard case .array(let tries)? = said["tries"] else {
                Issue.record("nothing was written")
                return
            }
            // At once, after half a minute, and not again for a minute.
            #expect(tries.count == 2 && (tries[1].number ?? 0) - (tries[0].number ?? 0) >= 30_000)
        }

        @Test(
            "a socket whose answer does not come is given up; one that refuses the token ends it by a request's answer",
            arguments: [true, false])
        func silentSocket(isRefused: Bool) async throws {
            let said = try await Self.run(
                """
                connect("well");
                reply = ({ token }) => (\(isRefused) ? { status: 401 } : token ? { status: 200 } : null);
                if (\(isRefused)) answer = () => refusal(401);
                await pass(40);
                say({
                    sockets: sockets.length, open: sockets.filter(({ isOver }) => !isOver).length, over: observer.isOver,
                    requests: requests.length, kept: observer.reports.length,
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

        /// The reports that changes lead to, one after the other; fails where one builds on what is not there.
        private static func rebuild(_ all: StatsValue?) throws -> [StatsReport] {
            guard case .array(let all)? = all else {
                Issue.record("nothing was written")
                return []
            }
            var rebuilder = ReportRebuilder()
            return try all.map { changes in
                guard case .array(let changes) = changes else { return StatsReport() }
                let report = rebuilder.add(changes)
                return try #require(report, "\(changes)")
            }
        }

        @Test(
            "what was not acknowledged is sent to a server that knows nothing of it: each report once more, the first one whole"
        )
        func forgetfulServer() async throws {
            let said = try await Self.run(
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
                const waiting = observer.reports.map(({ time }) => time);
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
                    isLast: own.at(-1).closed, left: observer.reports.length, past: observer.past.size,
                });
                """)
            let reports = try Self.rebuild(said["changes"])
            let times = (said["times"]?.text ?? "").split(separator: ",").compactMap { Double($0) }
            #expect(reports.map(\.timestamp) == times.map { 1.7e12 + $0 } && times.count >= 4)
            #expect(reports.map { Double($0.outboundRTP.first?.packetsSent ?? 0) } == times)
            #expect(reports.last?.inboundRTP.map(\.packetsReceived) == [UInt64(times.last ?? 0)])
            #expect(said["again"] == .bool(true) && said["refused"]?.number ?? -1 > 0)
            #expect(said["closed"]?.number == 1 && said["isLast"] == .bool(true))
            #expect(said["left"]?.number ?? 9 <= 1 && said["past"]?.number == 0)
        }

        @Test(
            "while the server stores what it has, it is measured as before, and sent together once that is acknowledged"
        )
        func slowStore() async throws {
            let said = try await Self.run(
                """
                reply = () => ({ status: 200 });
                connect("well");
                await pass(3);
                reply = () => ({ received: true });
                await pass(8);
                const [waiting, step] = [observer.reports.length, observer.pace.step];
                const sent = sockets[0].said.length;
                reply = () => ({ status: 200 });
                sockets[0].onmessage({ data: JSON.stringify({ status: 200 }) });
                await pass(1);
                const together = sockets[0].said.at(-1).reports.length;
                await pass(2);
                say({ waiting, step, more: sockets[0].said.length - sent, together, left: observer.reports.length });
                """)
            #expect(said["waiting"]?.number == 8 && said["step"]?.number == 0)
            #expect(said["together"]?.number == 8 && said["more"]?.number == 3 && said["left"]?.number == 0)
        }

        @Test("by requests, too, what is held by the server for a moment is no poor uplink")
        func slowRequests() async throws {
            let said = try await Self.run(
                """
                answer = () => new Promise((done) => { setTimeout(() => done(taken), 3200); });
                connect("well");
                await pass(12);
                say({ step: observer.pace.step, requests: requests.length, reports: requests.flatMap(({ reports }) => reports).length });
                """)
            #expect(said["step"]?.number == 0 && said["requests"]?.number == 3)
            #expect(said["reports"]?.number ?? 0 >= 8)
        }

        @Test("what waits is bounded: the oldest is given up, and what is left can be read")
        func overfull() async throws {
            let said = try await Self.run(
                """
                connect("well");
                connect("other");
                answer = () => refusal(503);
                await pass(1500);
                const kept = observer.reports.length;
                answer = () => taken;
                requests.length = 0;
                await pass(60);
                const own = requests.flatMap(({ reports }) => reports).filter((one) => one.peerConnection === "well");
                say({ kept, changes: own.map(({ changes }) => changes), first: own[0].time - 1.7e12, last: own.at(-1).time - 1.7e12 });
                """)
            #expect(said["kept"]?.number ?? 0 > 150 && said["kept"]?.number ?? 999 <= 240)
            let reports = try Self.rebuild(said["changes"])
            #expect(said["first"]?.number ?? 0 > 600_000 && said["last"]?.number ?? 0 > 1_540_000)
            #expect(
                reports.allSatisfy { Double($0.outboundRTP[0].packetsSent ?? 0) == $0.timestamp - 1.7e12 })
        }

        @Test(
            "a server that asks for whole reports without end is given the same a few times, and nothing grows"
        )
        func endlessRestarts() async throws {
            let said = try await Self.run(
                """
                answer = () => ({ ...taken, json: async () => ({ accepted: 0, restart: ["well"] }) });
                connect("well");
                await pass(60);
                const times = requests.flatMap(({ reports }) => reports).map(({ time }) => time);
                const counts = times.map((time) => times.filter((other) => other === time).length);
                say({ left: observer.reports.length, most: Math.max(...counts), later: requests.length });
                """)
            #expect(said["left"]?.number ?? 99 <= 5 && said["most"]?.number ?? 99 <= 4)
            #expect(said["later"]?.number ?? 0 >= 50)
        }

        @Test("a fresh token takes over what is not acknowledged, too")
        func inherited() async throws {
            let said = try await Self.run(
                """
                reply = () => ({ status: 200 });
                connect("well");
                await pass(3);
                reply = ({ token }) => (token ? { status: 200 } : { received: true });
                await pass(3);
                const waiting = observer.reports.map(({ time }) => time);
                reply = () => ({ status: 200 });
                const next = start({ token: tokenFor("call", "alice"), server, wraps: false });
                await pass(3);
                const all = sockets.flatMap(({ said }) => said).flatMap(({ reports }) => reports ?? []);
                const later = sockets[1].said.flatMap(({ reports }) => reports ?? []);
                say({
                    again: waiting.every((time) => later.some((one) => one.time === time)), left: next.reports.length,
                    changes: [...new Map(all.map((one) => [one.time, one.changes])).values()],
                });
                """)
            #expect(said["again"] == .bool(true) && said["left"]?.number == 0)
            #expect(try Self.rebuild(said["changes"]).count >= 8)
        }

        @Test("what the server knows is found again in what it was sent", arguments: Seed.draw(5))
        func known(seed: UInt64) async throws {
            let said = try await Self.run(
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

        @Test("what the server answers by a socket counts as a request's answer does")
        func socketAnswers() async throws {
            let said = try await Self.run(
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

        @Test(
            "what fails is tried again after longer and longer pauses, and nothing grows meanwhile",
            arguments: [
                "refusal(503)", "refusal(404)", "refusal(409)",
                "Promise.reject(new TypeError('unreachable'))",
                "({ ...taken, json: async () => { throw new SyntaxError('a portal') } })",
                "new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))",
                "refusal(429, new Map([['Retry-After', 'Wed, 21 Oct 2026 07:28:00 GMT']]))",
            ])
        func retries(answer: String) async throws {
            let said = try await Self.run(
                """
                const connection = connect("well");
                answer = (signal) => \(answer);
                for (let second = 0; second < 400; second += 1) {
                    observer.note("track", { state: "mute" });
                    await pass(1);
                }
                const pauses = requests.slice(1).map(({ at }, index) => at - requests[index].at);
                const kept = { reports: observer.reports.length, events: observer.events.length };
                answer = () => taken;
                const before = requests.length;
                // A request that hangs and a longest pause take 35 s of it.
                await pass(80);
                say({ count: before, longest: Math.max(...pauses), ...kept, later: requests.length - before, warnings: warnings.length });
                """)
            let count = said["count"]?.number ?? 0
            #expect(count >= 12 && count <= 45, "\(count)")
            #expect(said["longest"]?.number ?? 0 >= 15_000 && said["longest"]?.number ?? 0 <= 36_000)
            #expect(said["reports"]?.number ?? 1000 <= 240 && said["events"]?.number ?? 1000 <= 64)
            #expect(said["later"]?.number ?? 0 >= 10)
            #expect(said["warnings"]?.number ?? 9 <= 1)
        }

        @Test(
            "a rating is sent until the server keeps it, also when the call is over; one that it refuses is given up"
        )
        func rating() async throws {
            let said = try await Self.run(
                """
                const { rate, stop } = await import("./observe/observe.js");
                stop();
                const taking = (wanted) => { answer = () => wanted.length > 1 ? wanted.shift() : wanted[0]; };
                const outcome = async (promise) => {
                    let result = "waits";
                    promise.then((value) => { result = value; });
                    await settle();
                    await pass(8);
                    return result;
                };
                taking([refusal(404), refusal(503), { ok: true, status: 204 }]);
                const late = await outcome(rate(4, { reason: "echo" }));
                const tries = requests.length;
                taking([refusal(403)]);
                const refused = await outcome(rate(9));
                const refusedTries = requests.length - tries;
                answer = () => Promise.reject(new TypeError("unreachable"));
                const lost = await outcome(rate(1));
                say({ late, tries, refused, refusedTries, lost, lostTries: requests.length - tries - refusedTries,
                    score: requests[0].score, reason: requests[0].reason, at: addresses[0] });
                """)
            #expect(said["late"] == .bool(true) && said["tries"]?.number == 3)
            #expect(said["refused"] == .bool(false) && said["refusedTries"]?.number == 1)
            #expect(said["lost"] == .bool(false) && said["lostTries"]?.number == 4)
            #expect(said["score"]?.number == 4 && said["reason"]?.text == "echo")
            #expect(said["at"]?.text == "https://quality.example.org/v1/calls/call/ratings")
        }

        @Test("an event that is sent again is the same, and one that arrived is not sent again")
        func events() async throws {
            let said = try await Self.run(
                """
                connect("well");
                observer.note("track", { state: "mute" });
                let failures = 2;
                answer = () => { if (failures-- > 0) throw new TypeError("unreachable"); return taken; };
                await pass(20);
                observer.note("track", { state: "unmute" });
                await pass(2);
                const ids = requests.map(({ events }) => events.map(({ id }) => id).join());
                say({ first: ids[0] === ids[1] && ids[1] === ids[2], ids: new Set(ids.filter((id) => id)).size, whole: requests[3].reports.length });
                """)
            #expect(said["first"] == .bool(true) && said["ids"]?.number == 2)
        }

        @Test("a body that is not taken is not sent again; the next report is whole")
        func refused() async throws {
            let said = try await Self.run(
                """
                connect("well");
                answer = () => refusal(400);
                await pass(2);
                answer = () => taken;
                await pass(6);
                const [first, second] = requests.map(({ reports }) => reports[0].changes[0]);
                say({ first, second });
                """)
            #expect(said["first"]?.number ?? 0 < 0 && said["second"]?.number ?? 0 < 0)
        }

        @Test("a token that is refused ends it, and its author is warned")
        func refusedToken() async throws {
            let said = try await Self.run(
                """
                connect("well");
                answer = () => refusal(401);
                await pass(60);
                say({ requests: requests.length, warnings: warnings.length, over: observer.isOver });
                """)
            #expect(
                said["requests"]?.number == 1 && said["warnings"]?.number == 1 && said["over"] == .bool(true))
        }

        @Test("a call that outlives its token continues with the next one, and is over with stop")
        func nextToken() async throws {
            let said = try await Self.run(
                """
                const { observe, stop } = await import("./observe/observe.js");
                const connection = connect("well");
                const closed = Object.assign(connect("closed"), { signalingState: "closed" });
                await pass(3);
                answer = () => refusal(401);
                await pass(3);
                const isRefused = observer.isOver;
                const meanwhile = new Connection();
                observe(meanwhile, { name: "meanwhile" });
                // The name that the server knows stays.
                observe(connection, { name: "other", remote: "bob" });
                const isOpened = sockets.length;
                answer = () => taken;
                requests.length = 0;
                const next = start({ token, server });
                await pass(3);
                const continued = names().join(), first = requests[0].reports[0].changes[0];
                const remote = requests[0].reports[0].remote, waits = isOpened === 1;
                stop();
                requests.length = 0;
                start({ token, server, wraps: false });
                await pass(3);
                say({ isRefused, waits, continued, first, remote, after: names().length });
                """)
            #expect(said["isRefused"] == .bool(true) && said["continued"]?.text == "well,meanwhile")
            #expect(said["waits"] == .bool(true), "without a token nothing is opened")
            #expect(said["first"]?.number ?? 0 < 0, "what the next sends first is whole")
            #expect(said["remote"]?.text == "bob" && said["after"]?.number == 0)
        }

        @Test(
            "a token of another call or participant takes nothing over that the last one's observed",
            arguments: [("other", "alice", 0), ("call", "bob", 0), ("call", "alice", 2)])
        func otherCall(call: String, participant: String, taken: Int) async throws {
            let said = try await Self.run(
                """
                const { observe } = await import("./observe/observe.js");
                const first = connect("first");
                await pass(2);
                answer = () => refusal(401);
                await pass(2);
                observe(new Connection(), { name: "second" });
                answer = () => taken;
                addresses.length = requests.length = 0;
                const next = start({ token: tokenFor("\(call)", "\(participant)") });
                await pass(3);
                const over = names().length;
                observe(first, { name: "named again" });
                await pass(3);
                say({ over, again: names().length, at: new Set(addresses).size, address: addresses[0] });
                """)
            #expect(said["over"]?.number == Double(taken) && said["again"]?.number == Double(max(1, taken)))
            #expect(
                said["at"]?.number == 1
                    && said["address"]?.text == "https://quality.example.org/v1/calls/\(call)/reports")
        }

        @Test("what the next start omits is as it was, until stop; own tracks are watched on")
        func takenOver() async throws {
            let said = try await Self.run(
                """
                const { stop } = await import("./observe/observe.js");
                const [own, others] = ["audio", "video"].map((kind) => Object.assign(new EventTarget(), { kind }));
                const connection = Object.assign(connect("well"), {
                    getSenders: () => [{ track: own }, { track: null }], getReceivers: () => [{ track: others }],
                });
                globalThis.RTCPeerConnection = Connection;
                const next = start({ token });
                const isUntouched = RTCPeerConnection === Connection;
                own.dispatchEvent(new Event("ended"));
                others.dispatchEvent(new Event("mute"));
                await pass(2);
                const events = requests.flatMap(({ events }) => events).map(({ detail }) => `${detail.end} ${detail.state}`).join();
                stop();
                start({ token, server });
                say({ isUntouched, events, at: next.place, isWrapped: RTCPeerConnection !== Connection, warnings: warnings.length });
                """)
            #expect(said["isUntouched"] == .bool(true) && said["isWrapped"] == .bool(true))
            #expect(said["events"]?.text == "local ended,remote mute" && said["warnings"]?.number == 0)
            #expect(said["at"]?.text == "https://quality.example.org/v1/calls/call")
        }

        @Test("what a library has put in place of the browser's own before the start is wrapped")
        func replacedConstructors() async throws {
            let said = try await Self.run(
                """
                const getter = { get() { return async () => []; }, configurable: true };
                class Devices { async getUserMedia() { return "the browser's"; } }
                Object.defineProperty(Devices.prototype, "enumerateDevices", getter);
                const devices = Object.assign(new Devices(), { getUserMedia: async () => ({ getTracks: () => [] }) });
                define("navigator", { userAgent: "test", mediaDevices: devices });
                const Replaced = function () { return new Connection(); };
                Replaced.prototype = Connection.prototype;
                globalThis.RTCPeerConnection = Replaced;
                const next = start({ token, wraps: true });
                const made = new RTCPeerConnection();
                await navigator.mediaDevices.getUserMedia({ audio: true });
                await pass(2);
                say({
                    isWrapped: RTCPeerConnection !== Replaced, isOne: made instanceof Connection, observed: next.peers.size,
                    noted: requests.flatMap(({ events }) => events).map(({ type }) => type).join(),
                    untouched: Object.getOwnPropertyDescriptor(Devices.prototype, "enumerateDevices").get === getter.get,
                });
                """)
            #expect(said["isWrapped"] == .bool(true) && said["isOne"] == .bool(true))
            #expect(said["observed"]?.number == 1 && said["noted"]?.text == "getUserMedia")
            #expect(said["untouched"] == .bool(true))
        }

        @Test("what fails in the observer fails nothing of the app's, and its author is warned once")
        func ownFailures() async throws {
            let said = try await Self.run(
                """
                const unchanged = start({ token: "nonsense" }) === observer && !observer.isOver;
                define("navigator", { userAgent: "test", mediaDevices: { getUserMedia: async () => "no media stream" } });
                globalThis.RTCPeerConnection = Connection;
                const next = start({ token, wraps: true });
                next.observe = () => { throw new Error("no"); };
                const made = new RTCPeerConnection();
                const media = await navigator.mediaDevices.getUserMedia({ audio: true });
                say({ unchanged, made: made instanceof Connection, media, warnings });
                """)
            #expect(said["unchanged"] == .bool(true) && said["made"] == .bool(true))
            #expect(said["media"]?.text == "no media stream")
            guard case .array(let warnings)? = said["warnings"] else {
                Issue.record("nothing was written")
                return
            }
            #expect(warnings.count == 1 && warnings.first?.text?.contains("token") == true)
        }

        @Test("who has no token gets an observer all the same, which observes nothing, and one warning")
        func noToken() async throws {
            let said = try await Self.run(
                """
                const fresh = await import("./observe/observe.js?without");
                const idle = fresh.start({ token: undefined });
                fresh.start({ token: "nonsense" });
                for (const one of [idle, fresh]) one.observe(new Connection(), { name: "none" });
                await pass(3);
                idle.stop();
                say({
                    isOne: idle instanceof fresh.Observer, requests: requests.length, sockets: sockets.length,
                    warnings: warnings.length, rated: await idle.rate(5) || await fresh.rate(5),
                    next: fresh.start({ token, server }) !== idle,
                });
                """)
            #expect(said["isOne"] == .bool(true) && said["rated"] == .bool(false))
            #expect(said["requests"]?.number == 0 && said["sockets"]?.number == 0)
            #expect(said["warnings"]?.number == 1 && said["next"] == .bool(true))
        }

        @Test("a track that comes again with a negotiation is noted once")
        func tracks() async throws {
            let said = try await Self.run(
                """
                const connection = connect("well");
                const track = Object.assign(new EventTarget(), { kind: "audio" });
                for (let round = 0; round < 3; round += 1) {
                    connection.dispatchEvent(Object.assign(new Event("track"), { track }));
                }
                track.dispatchEvent(new Event("mute"));
                say({ events: observer.events.length });
                """)
            #expect(said["events"]?.number == 1)
        }

        @Test(
            "what is said of a track goes with its peer connection's reports when it is new, and when the server asks"
        )
        func tags() async throws {
            let said = try await Self.run(
                """
                const [own, other, silent] = ["own", "other", "silent"].map((id) => ({ id }));
                tag(other, { participant: "bob", name: "camera" });
                const connection = connect("well");
                connection.getSenders = () => [{ track: own }, { track: null }];
                connection.getReceivers = () => [{ track: other }, { track: silent }];
                await pass(3);
                tag(own, { name: "screen" });
                await pass(3);
                answer = () => ({ ...taken, json: async () => ({ accepted: 0, restart: ["well"] }) });
                await pass(1);
                answer = () => taken;
                await pass(2);
                tag(own, {});
                tag(other, {});
                await pass(3);
                const tracks = requests.flatMap(({ reports }) => reports).map((one) => one.tracks ?? null);
                say({ tracks: tracks.filter((one) => one), silent: tracks.filter((one) => !one).length });
                """)
            guard case .array(let all)? = said["tracks"] else {
                Issue.record("nothing was written")
                return
            }
            #expect(all.count == 4)
            #expect(all.first?["other"]?["participant"]?.text == "bob" && all.first?["own"] == nil)
            #expect(all[1]["own"]?["name"]?.text == "screen" && all[1]["other"]?["name"]?.text == "camera")
            #expect(all[2] == all[1], "the server had forgotten it")
            #expect(all[3] == .object([]), "it was taken back")
            #expect(said["silent"]?.number ?? 0 >= 6)
        }

        @Test("the server keeps up with reports of any size, which are whole no more often than they must be")
        func large() async throws {
            let said = try await Self.run(
                """
                const { ReportChanges } = await import("./client/changes.js");
                const { members } = await import("./client/judged.js");
                const changes = new ReportChanges();
                const long = "x".repeat(80);
                const report = (second, count) => Array.from({ length: count }, (_, index) => ({
                    type: "inbound-rtp", id: `I${index}`, timestamp: 1.7e12 + 1000 * second,
                    ...Object.fromEntries([...members].slice(0, 45).map((name, place) => [name, place * second + index])),
                    decoderImplementation: long + second % 2, mimeType: "é".repeat(85), codecId: "y".repeat(300),
                }));
                say({ changes: Array.from({ length: 60 }, (_, second) => changes.add(report(second, 20 + 6 * second))) });
                """)
            guard case .array(let all)? = said["changes"] else {
                Issue.record("nothing was written")
                return
            }
            var rebuilder = ReportRebuilder()
            var (restarts, counts): (Int, [Int]) = (0, [])
            for case .array(let changes) in all {
                let rebuilt = rebuilder.add(changes)
                let report = try #require(rebuilt, "report \(counts.count)")
                counts.append(report.inboundRTP.count)
                if changes.first?.number ?? 0 < 0 { restarts += 1 }
            }
            #expect(counts.count == 60 && counts[0] == 20 && counts.max() ?? 0 > 80)
            #expect(restarts < 40, "\(restarts)")
        }

        @Test(
            "where the uplink is not known to be good a whole report comes in pieces, what the rules read most first",
            arguments: [("undefined", false), ("300_000", false), ("5_000_000", true)])
        func pieces(estimate: String, isAtOnce: Bool) async throws {
            let said = try await Self.run(
                """
                const { members } = await import("./client/judged.js");
                const kept = [...members].filter((name) => name !== "availableOutgoingBitrate").slice(0, 40);
                const long = () => Object.fromEntries(kept.map((name, place) => [name, place * now]));
                connect("narrow").report = () => [
                    ...["media-source", "codec", "inbound-rtp", "outbound-rtp"].flatMap((type) =>
                        [1, 2].map((number) => ({ type, id: `${type}${number}`, ...long() }))),
                    { type: "candidate-pair", id: "P", nominated: true, availableOutgoingBitrate: \(estimate) },
                ];
                await pass(\(isAtOnce) ? 3 : 30);
                const reports = requests.flatMap(({ reports }) => reports).map(({ changes }) => changes);
                const begun = reports.map((changes) => changes.filter((one) => typeof one[0] === "string"));
                say({
                    changes: reports, types: begun.flat().map(([type]) => type).join(), first: begun[0].length,
                    longest: Math.max(...begun.map((all) => JSON.stringify(all).length)), warnings: warnings.length,
                });
                """)
            #expect(said["warnings"]?.number == 0)
            guard case .array(let all)? = said["changes"] else {
                Issue.record("nothing was written")
                return
            }
            var rebuilder = ReportRebuilder()
            var last: StatsReport?
            for case .array(let changes) in all {
                last = rebuilder.add(changes)
                #expect(last != nil)
            }
            #expect(last?.inboundRTP.count == 2 && last?.outboundRTP.count == 2)
            if isAtOnce {
                #expect(said["first"]?.number == 9)
            } else {
                #expect(said["longest"]?.number ?? 9999 <= 2600)
                #expect(
                    said["types"]?.text
                        == "outbound-rtp,outbound-rtp,inbound-rtp,inbound-rtp,candidate-pair,codec,codec,media-source,media-source"
                )
            }
        }

        @Test("a report of more objects than one may have is cut, says so once, and is whole once")
        func objects() async throws {
            let said = try await Self.run(
                """
                connect("large").report = () => Array.from({ length: 300 }, (_, index) =>
                    ({ type: "inbound-rtp", id: `I${index}`, ssrc: index, packetsReceived: now }));
                await pass(20);
                say({
                    warnings, whole: requests.flatMap(({ reports }) => reports).filter(({ changes }) => changes[0] < 0).length,
                    count: requests.flatMap(({ reports }) => reports).length,
                });
                """)
            guard case .array(let warnings)? = said["warnings"] else {
                Issue.record("nothing was written")
                return
            }
            #expect(warnings.count == 1 && warnings.first?.text?.contains("44 of its statistics") == true)
            #expect(said["whole"]?.number == 1 && said["count"]?.number ?? 0 > 10)
        }
    }
}
