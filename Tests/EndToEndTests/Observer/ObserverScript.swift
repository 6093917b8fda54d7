// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

/// Scripts that use `observe.js` in virtual time and without a browser.
enum ObserverScript {
    /// A server, and peer connections that are as the test wants them.
    private static let world = """
        const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true });
        define("navigator", { userAgent: "test" });
        Date.now = () => 1.7e12 + now;
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
    static func run(_ script: String) async throws -> StatsValue {
        try await NodeScript.runInVirtualTime(world + script)
    }

    /// The reports that changes lead to, one after the other; fails where one builds on what is not there.
    static func rebuild(_ all: StatsValue?) throws -> [StatsReport] {
        var rebuilder = ReportRebuilder()
        return try #require(all?.list).map { changes in
            guard case .array(let changes) = changes else { return StatsReport() }
            let report = rebuilder.add(changes)
            return try #require(report, "\(changes)")
        }
    }
}
