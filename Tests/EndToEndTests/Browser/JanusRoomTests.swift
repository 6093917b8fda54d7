// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// A video room of a real Janus, whose pages know nothing of Sightline but the tag and what they say of tracks.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"),
        .enabled(if: Janus.isInstalled, "Janus or a C compiler is not installed: apt-get install janus gcc"))
    struct JanusRoomTests {
        @Test("an SFU that changes SSRCs: everyone is paired, and both ends name whose uplink loses packets")
        func lossyUplink() async throws {
            try await JanusRoom.run(["alice", "bob", "carol"]) { room in
                var paths: [LossyPath] = []
                defer { paths.forEach { $0.end() } }
                for name in ["alice", "bob", "carol"] { paths.append(try await room.publish(name)) }
                for name in ["alice", "bob", "carol"] { try await room.subscribe(name) }
                let page = try await room.call.dashboard()
                try await page.wait(
                    "everyone, and well",
                    for: """
                        ["bob", "carol"].every((name) => says(name, /excellent|good/i, "receives alice")
                            && says(name, /excellent|good/i, "sends"))
                            && says("alice", /excellent|good/i, "receives bob") && says("alice", /excellent|good/i, "receives carol")
                        """, within: .seconds(90))
                paths[0].lose(25)
                try await page.wait(
                    "the same side at both ends",
                    for: #"""
                        ["bob", "carol"].every((name) =>
                            says(name, /To blame: alice’s network \(uplink\)/, "receives alice"))
                            && says("alice", /To blame: alice’s network \(uplink\)/, "sends")
                        """#, within: .seconds(60))
                try await page.keepScreenshot("janus")
                // Nothing of whoever else sends is harmed.
                for (receiver, sender) in [("bob", "carol"), ("carol", "bob"), ("alice", "bob")] {
                    let isBlamed = try await page.evaluate(
                        "says('\(receiver)', /To blame: \(sender)/, 'receives \(sender)')")
                    #expect(isBlamed == "false", "\(receiver) receives \(sender)")
                }
            }
        }
    }
}

/// Pages of an app that meets in a room of Janus.
private struct JanusRoom {
    let call: OwnCall
    let janus: Janus

    static func run(_ names: [String], _ body: (JanusRoom) async throws -> Void) async throws {
        let janus = try await Janus()
        let result: Result<Void, any Error>
        do {
            let url = janus.url
            try await OwnCall.run(names, page: { page($0, $1, $2, janus: url) }) { call in
                try await body(JanusRoom(call: call, janus: janus))
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        let log = janus.log
        try await janus.close()
        do { try result.get() } catch {
            throw Chromium.Failure(description: "\(error) Janus: \(log.suffix(4000))")
        }
    }

    /// Has a participant send to the room, over a path that can lose packets.
    func publish(_ name: String) async throws -> LossyPath {
        guard let page = call.pages[name] else { throw Chromium.Failure(description: "no page of \(name)") }
        let answer = try await page.evaluate("call.publish()")
        let (path, description) = try OwnCall.lossyPath(to: answer)
        try await page.evaluate("call.accept(\(Chromium.quoted(description)))")
        return path
    }

    /// Has a participant receive all others by one peer connection.
    func subscribe(_ name: String) async throws { try await call.pages[name]?.evaluate("call.subscribe()") }

    private static func page(_ server: String, _ name: String, _ token: String, janus: String) -> String {
        """
        <!doctype html>
        <title>\(name) in a room</title>
        <script type="module" src="\(server)/web/observe/observe.js" data-token="\(token)"></script>
        <script>
        const withoutCandidates = ({ type, sdp }) => ({ type, sdp: sdp.replace(/a=(candidate|end-of-candidates).*\\r\\n/g, "") });

        /** A session of Janus: a request is answered by the first message with its transaction that is no "ack". */
        class Room {
            waiting = new Map();
            async open() {
                this.socket = new WebSocket("\(janus)", "janus-protocol");
                this.socket.addEventListener("message", ({ data }) => {
                    const message = JSON.parse(data);
                    if (message.janus === "ack") return;
                    this.waiting.get(message.transaction)?.(message);
                });
                await new Promise((resolve, reject) => {
                    this.socket.addEventListener("open", resolve);
                    this.socket.addEventListener("error", () => reject(new Error("no Janus")));
                });
                this.session = (await this.ask({ janus: "create" })).data.id;
                setInterval(() => this.ask({ janus: "keepalive" }), 20_000);
            }
            async ask(body) {
                const transaction = Math.random().toString(36).slice(2);
                const answer = new Promise((resolve) => { this.waiting.set(transaction, resolve); });
                this.socket.send(JSON.stringify({ session_id: this.session, transaction, ...body }));
                const message = await answer;
                const error = message.error?.reason ?? message.plugindata?.data?.error;
                if (error) throw new Error(error);
                return message;
            }
            async attach() {
                return (await this.ask({ janus: "attach", plugin: "janus.plugin.videoroom" })).data.id;
            }
            say(handle, body, jsep) { return this.ask({ janus: "message", handle_id: handle, body, jsep }); }
        }

        window.call = {
            room: new Room(),
            async publish() {
                await this.room.open();
                this.handle = await this.room.attach();
                await this.room.say(this.handle, { request: "create", room: "room 7", publishers: 6 }).catch(() => {});
                await this.room.say(this.handle, {
                    request: "join", ptype: "publisher", room: "room 7", id: "\(name)", display: "\(name)",
                });
                const { tag } = await import("\(server)/web/observe/observe.js");
                const media = await navigator.mediaDevices.getUserMedia(
                    { audio: true, video: { width: 160, height: 120, frameRate: 10 } });
                this.connection = new RTCPeerConnection();
                for (const track of media.getTracks()) {
                    tag(track, { name: track.kind });
                    this.connection.addTrack(track, media);
                }
                await this.connection.setLocalDescription();
                const offer = withoutCandidates(this.connection.localDescription);
                return (await this.room.say(this.handle, { request: "publish" }, offer)).jsep.sdp;
            },
            async accept(sdp) {
                await this.connection.setRemoteDescription({ type: "answer", sdp });
                while (this.connection.connectionState !== "connected") {
                    await new Promise((resolve) => setTimeout(resolve, 50));
                }
            },
            async subscribe() {
                const { tag } = await import("\(server)/web/observe/observe.js");
                const handle = await this.room.attach();
                let participants = [];
                // Janus knows a moment after the sender that its media flow.
                while (participants.length === 0 || participants.some(({ publisher }) => !publisher)) {
                    await new Promise((resolve) => setTimeout(resolve, 50));
                    const all = await this.room.say(handle, { request: "listparticipants", room: "room 7" });
                    participants = all.plugindata.data.participants;
                }
                const streams = participants.filter(({ id }) => id !== "\(name)").map(({ id }) => ({ feed: id }));
                const offered = await this.room.say(
                    handle, { request: "join", ptype: "subscriber", room: "room 7", streams });
                const feeds = new Map(offered.plugindata.data.streams.map((one) => [one.mid, one]));
                const connection = new RTCPeerConnection();
                connection.addEventListener("track", ({ track, transceiver }) => {
                    // What was published and what is received have other SSRCs, and other names of their own.
                    const { feed_id: participant, type } = feeds.get(transceiver.mid);
                    tag(track, { participant, name: type });
                    const element = document.createElement(track.kind);
                    Object.assign(element, { srcObject: new MediaStream([track]), muted: true, autoplay: true });
                    document.body.append(element);
                });
                await connection.setRemoteDescription(offered.jsep);
                await connection.setLocalDescription();
                await this.room.say(handle, { request: "start" }, withoutCandidates(connection.localDescription));
                while (connection.connectionState !== "connected") {
                    await new Promise((resolve) => setTimeout(resolve, 50));
                }
            },
        };
        </script>
        """
    }
}
