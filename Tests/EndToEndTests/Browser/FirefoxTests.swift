// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// The browser participant and the dashboard in Firefox: only for `make firefox`, which sets
/// `SIGHTLINE_FIREFOX`.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(
            if: ProcessInfo.processInfo.environment["SIGHTLINE_FIREFOX"] == "1" && Firefox.isInstalled,
            "on request: make firefox"))
    struct FirefoxTests {
        @Test(
            "a Firefox in the call sees and is seen by native clients, and the dashboard shows it there too")
        func call() async throws {
            try await Demo.serve { link in
                let browser = try await Firefox()
                let result: Result<Void, any Error>
                do { result = .success(try await Self.join(link, browser)) } catch {
                    result = .failure(error)
                }
                try await browser.close()
                try result.get()
            }
        }

        private static func join(_ link: String, _ browser: Firefox) async throws {
            let page = try await browser.open(link)
            try await browser.wait(
                "charts and both participants", in: page,
                for: "all('canvas').length > 5 && all('.card .flow').length > 1")
            let token = try await browser.evaluate(
                """
                fetch(`/v1/sessions/${find("h1").innerText}/tokens`, {
                    method: "POST", headers: { "Content-Type": "application/json" },
                    body: JSON.stringify({ role: "publisher", name: "firefox" }),
                }).then((answer) => answer.json()).then(({ token }) => token)
                """, in: page)
            let address = link.prefix { $0 != "#" }
            let guest = try await browser.open("\(address)join#token=\(token)")
            try await browser.wait("the choices", in: guest, for: "find('#camera')")
            try await browser.evaluate("find('#camera').click()", in: guest)
            try await browser.wait(
                "frames of its own and of alice", in: guest,
                for: """
                    all("video").length === 2 && all("video").every((video) => video.mozPaintedFrames > 10)
                    """)
            try await browser.keepScreenshot("firefox-join", of: guest)
            for (who, what) in [
                ("firefox", "sends camera"), ("firefox", "receives alice"), ("bob", "receives firefox"),
            ] {
                try await browser.wait(
                    "\(who) \(what)", in: page,
                    for: #"says("\#(who)", /(excellent|good)[^]* fps/, "\#(what)")"#)
            }
            let figures = "all('.flow').map((one) => one.innerText.replaceAll('\\n', ' ')).join('\\n')"
            print("Firefox in the call:\n\(try await browser.evaluate(figures, in: page))")
            try await browser.keepScreenshot("firefox-dashboard", of: page)
            try await browser.evaluate("find('#leave').click()", in: guest)
            try await browser.wait("its leaving", in: page, for: #"says("firefox", /left/)"#)
        }
    }
}
