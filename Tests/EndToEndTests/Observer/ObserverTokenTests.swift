// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

/// What of a call `observe.js` continues with when it gets another token, or none.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct ObserverTokenTests {
        @Test("a call that outlives its token continues with the next one, and is over with stop")
        func nextToken() async throws {
            let said = try await ObserverScript.run(
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

        @Test("a fresh token takes over what is not acknowledged, too")
        func inherited() async throws {
            let said = try await ObserverScript.run(
                """
                reply = () => ({ status: 200 });
                connect("well");
                await pass(3);
                reply = ({ token }) => (token ? { status: 200 } : { received: true });
                await pass(3);
                const waiting = observer.queue.reports.map(({ time }) => time);
                reply = () => ({ status: 200 });
                const next = start({ token: tokenFor("call", "alice"), server, wraps: false });
                await pass(3);
                const all = sockets.flatMap(({ said }) => said).flatMap(({ reports }) => reports ?? []);
                const later = sockets[1].said.flatMap(({ reports }) => reports ?? []);
                say({
                    again: waiting.every((time) => later.some((one) => one.time === time)), left: next.queue.reports.length,
                    changes: [...new Map(all.map((one) => [one.time, one.changes])).values()],
                });
                """)
            #expect(said["again"] == .bool(true) && said["left"]?.number == 0)
            #expect(try ObserverScript.rebuild(said["changes"]).count >= 8)
        }

        @Test(
            "a token of another call or participant takes nothing over that the last one's observed",
            arguments: [("other", "alice", 0), ("call", "bob", 0), ("call", "alice", 2)])
        func otherCall(call: String, participant: String, taken: Int) async throws {
            let said = try await ObserverScript.run(
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
            let said = try await ObserverScript.run(
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

        @Test("who has no token gets an observer all the same, which observes nothing, and one warning")
        func noToken() async throws {
            let said = try await ObserverScript.run(
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
    }
}
