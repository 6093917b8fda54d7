// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

/// What `observe.js` does to the page and its browser, and what these can do to it.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct ObserverPageTests {
        @Test("what a library has put in place of the browser's own before the start is wrapped")
        func replacedConstructors() async throws {
            let said = try await ObserverScript.run(
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
                    isWrapped: RTCPeerConnection !== Replaced, isOne: made instanceof Connection, observed: next.queue.peers.size,
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
            let said = try await ObserverScript.run(
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
            let warnings = try #require(said["warnings"]?.list)
            #expect(warnings.count == 1 && warnings.first?.text?.contains("token") == true)
        }

        @Test("a browser that does not answer for one peer connection keeps no other from being sent")
        func hanging() async throws {
            let said = try await ObserverScript.run(
                """
                connect("well");
                connect("hangs").getStats = () => new Promise(() => {});
                connect("fails").getStats = () => { throw new Error("no"); };
                connect("odd").report = () => [{ type: "outbound-rtp" }];
                await pass(5);
                say({ names: names().join(), requests: requests.length, odd: observer.queue.peers.size });
                """)
            #expect(said["names"]?.text == "well" && said["requests"]?.number ?? 0 >= 4)
            #expect(said["odd"]?.number == 4)
        }

        @Test("a track that comes again with a negotiation is noted once")
        func tracks() async throws {
            let said = try await ObserverScript.run(
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
    }
}
