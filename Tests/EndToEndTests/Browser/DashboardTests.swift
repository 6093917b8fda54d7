// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// The dashboard and the browser participant as a person has them: the demo, a real browser, everything in
/// between.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct DashboardTests {
        @Test("a slider makes a participant's network bad, and the page says how bad, why, and whose it is")
        func slider() async throws {
            try await Demo.run { demo in
                let opened = ContinuousClock.now
                let page = try await demo.openSession()
                let live = ContinuousClock.now
                try await page.wait(
                    "both well", for: #"says("alice", /excellent/) && says("bob", /excellent/)"#)
                try await page.keepScreenshot("session-light")
                try await page.evaluate("all('details').forEach((one) => { one.open = true; })")
                let slider = #"participant("details", "bob").querySelector("[id$=-down-loss]")"#
                try await page.evaluate("\(slider).focus()")
                try await page.press("ArrowRight", times: 6)
                #expect(try await page.evaluate("\(slider).value") == "6")
                let worse = ContinuousClock.now
                try await page.wait(
                    "the verdict",
                    for: #"says("bob", /warning[^]*packet loss[^]*To blame: bob’s network \(downlink\)/)"#)
                let seen = ContinuousClock.now
                #expect(try await page.evaluate(#"says("alice", /excellent/)"#) == "true")
                try await page.wait("the log", for: "/→ warning/.test(find('.log').innerText)")
                try await page.evaluate("find('.charts').focus()")
                try await page.press("ArrowLeft")
                try await page.wait("all numbers of a second", for: "find('.second tbody tr')")
                try await page.show(width: 1280, isDark: true)
                try await page.keepScreenshot("session-bad-dark")
                try await page.evaluate("\(slider).focus()")
                try await page.press("Home")
                let better = ContinuousClock.now
                try await page.wait(
                    "the recovery", for: #"says("bob", /excellent|good/) && !says("bob", /To blame/)"#)
                Self.print(
                    ["the live call": live - opened, "the verdict": seen - worse, "recovered": .now - better])
                try await page.show(width: 390, height: 844)
                try await page.wait(
                    "a page as wide as a phone", for: "document.documentElement.scrollWidth <= 390")
                try await page.keepScreenshot("session-phone")
                #expect(demo.browser.problems.isEmpty)
            }
        }

        @Test("all calls have a page, and so have the ratings, and the list leads to both")
        func allCalls() async throws {
            try await Demo.run { demo in
                let page = try await demo.openSession()
                try await page.wait("the call", for: #"says("bob", /excellent/)"#)
                try await page.evaluate("location.hash = '#/'")
                try await page.wait("the list", for: "find('.visits a[href=\"#/fleet\"]')")
                // What is measured is summed up by minute every few seconds.
                try await page.wait(
                    "the call's minutes",
                    for: """
                        await (async () => {
                            const fleet = await (await fetch("/v1/fleet")).json();
                            return fleet.total.minutes > 0;
                        })()
                        """)
                try await page.evaluate("find('.visits a[href=\"#/fleet\"]').click()")
                try await page.wait(
                    "the page of all calls",
                    for: "/[1-9][0-9]* minutes of streams/.test(find('#page').innerText)")
                try await page.wait(
                    "what changed", for: "/too few to compare/.test(find('#comparison').innerText)")
                #expect(try await page.evaluate("all('.periods .all').length > 0") == "true")
                try await page.evaluate("find('.visits a[href=\"#/ratings\"]').click()")
                try await page.wait("the ratings", for: "/No one has rated/.test(find('#page').innerText)")
                #expect(demo.browser.problems.isEmpty)
            }
        }

        /// Says how long a person waits for what.
        private static func print(_ times: [String: Duration]) {
            let words = times.sorted { $0.key < $1.key }.map { what, time in
                "\(what) after \(((time / .milliseconds(100)).rounded() / 10)) s"
            }
            Swift.print("In the dashboard: \(words.joined(separator: ", "))")
        }

        @Test("a browser in the call sees and is seen, and its own reports are judged like everyone's")
        func browser() async throws {
            try await Demo.run { demo in
                let page = try await demo.openSession()
                try await page.evaluate(
                    "all('button').find((one) => /Join from/.test(one.innerText)).click()")
                let guest = try await demo.browser.page(with: "/join")
                try await guest.wait("the choices", for: "find('#camera')")
                #expect(try await guest.evaluate("location.hash") == "")
                try await guest.evaluate("find('#camera').click()")
                try await guest.wait(
                    "frames of both",
                    for: """
                        all("video").length === 2 && all("video")
                            .every((video) => video.getVideoPlaybackQuality().totalVideoFrames > 10)
                        """)
                try await guest.keepScreenshot("join")
                for (who, what) in [
                    ("browser", "sends camera"), ("browser", "receives alice"), ("bob", "receives browser"),
                ] {
                    try await page.wait(
                        "\(who) \(what)", for: #"says("\#(who)", /(excellent|good)[^]* fps/, "\#(what)")"#)
                }
                try await page.keepScreenshot("session-with-browser")
                try await guest.evaluate("find('#leave').click()")
                try await page.wait("the browser's leaving", for: #"says("browser", /left/)"#)
                #expect(demo.browser.problems.isEmpty)
            }
        }

        @Test("a browser that loses its socket comes back to the same call")
        func lostSocket() async throws {
            try await Demo.run { demo in
                let page = try await demo.openSession()
                let token = try await page.evaluate(
                    """
                    fetch(`/v1/sessions/${find("h1").innerText}/tokens`, {
                        method: "POST", headers: { "Content-Type": "application/json" },
                        body: JSON.stringify({ role: "publisher", name: "guest" }),
                    }).then((answer) => answer.json()).then(({ token }) => token)
                    """)
                let guest = try await demo.browser.open(
                    "\(demo.address)join#token=\(token)",
                    script: """
                        globalThis.sockets = [];
                        globalThis.WebSocket = class extends WebSocket {
                            constructor(url) { super(url); sockets.push(this); }
                        };
                        """)
                try await guest.wait("the choices", for: "find('#test-pattern')")
                try await guest.evaluate("find('#test-pattern').click()")
                try await page.wait("the guest", for: #"says("guest", / fps/, "sends camera")"#)
                try await guest.evaluate("sockets[0].close()")
                try await guest.wait(
                    "its way back",
                    for: "sockets[1]?.readyState === 1 && /^in the session/.test(find('#status').innerText)")
                let frames =
                    "all('video').reduce((sum, one) => sum + one.getVideoPlaybackQuality().totalVideoFrames, 0)"
                let before = try await guest.evaluate(frames)
                try await guest.wait("frames that continue", for: "\(frames) > \(before) + 20")
                try await page.wait("the guest again", for: #"says("guest", / fps/, "receives alice")"#)
                #expect(try await page.evaluate("/guest left/.test(find('.log').innerText)") == "false")
            }
        }

        @Test("without a token one can only log in; scripts never see the cookie, addresses never the token")
        func login() async throws {
            try await Demo.run { demo in
                let page = try await demo.browser.open(demo.address)
                try await page.wait("the login", for: "find('#token')")
                try await page.keepScreenshot("login")
                let inside = try await demo.browser.open(demo.link)
                try await inside.wait("the session", for: "find('.card')")
                let place = try await inside.evaluate("location.href")
                #expect(place.hasPrefix("\(demo.address)#/session/") && !place.contains("token"))
                try await inside.evaluate("find('nav a').click()")
                try await inside.wait("the list", for: "find('.sessions a')")
                #expect(try await inside.evaluate("document.cookie") == "")
                // Links come from anyone: one does not take the place of a login without a word.
                let again = try await demo.browser.open(demo.link)
                try await again.wait("the question", for: "find('#keep') && !find('.card')")
                try await again.evaluate("find('#keep').click()")
                try await again.wait("the session", for: "find('.card')")
                try await inside.keepScreenshot("list")
            }
        }

        @Test("charts omit what no one would see, and never what was not measured")
        func series() async throws {
            try await Demo.run { demo in
                let page = try await demo.openSession()
                let kept = """
                    import("/web/dashboard/series.js").then(({ points }) => {
                        const loss = (second) => (second === 20000 ? 1 : 0);
                        const entries = Array.from({ length: 36000 }, (_, second) => ({
                            time: second * 1000,
                            sample: second >= 9000 && second < 9100 ? {} : { loss: loss(second) },
                        }));
                        const kept = points(entries, (sample) => sample.loss, 60000);
                        const isGap = ({ x, y }) => Number.isNaN(y) && x >= 8990000 && x <= 9110000;
                        const isInOrder = ({ x }, index) => index === 0 || x >= kept[index - 1].x;
                        const most = Math.max(...kept.map(({ y }) => y || 0));
                        return [kept.length <= 1803, most, kept.some(isGap), kept.every(isInOrder)];
                    })
                    """
                #expect(try await page.evaluate(kept) == "true,1,true,true")
            }
        }
    }
}
