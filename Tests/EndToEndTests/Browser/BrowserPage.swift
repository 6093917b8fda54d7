// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport

/// A page in a headless browser.
struct BrowserPage: Sendable {
    let browser: Chromium
    let session: String

    func call(_ method: String, _ parameters: String = "{}") async throws -> Data {
        try await browser.call(method, parameters, session: session)
    }

    /// What expressions may use: to find elements, a participant's element of a kind, and what is said of a
    /// participant, on the whole or of one stream.
    static let tools = """
        const find = (selector) => document.querySelector(selector);
        const all = (selector) => [...document.querySelectorAll(selector)];
        const participant = (kind, name) => all(kind).find((one) => one.innerText.startsWith(name));
        const says = (name, words, stream = "") => {
            const rows = [...(participant(".card", name)?.querySelectorAll(".flow") ?? [])];
            const texts = rows.map((row) => row.innerText).filter((text) => text.includes(stream));
            return words.test(stream ? texts.join() : participant(".card", name)?.innerText ?? "");
        };
        """

    /// What an expression is, as text; a promise is waited for.
    @discardableResult
    func evaluate(_ expression: String) async throws -> String {
        struct Evaluated: Decodable {
            struct Value: Decodable { var value: String? }
            struct Exception: Decodable {
                struct Thrown: Decodable { var description: String? }
                var exception: Thrown?
            }
            var result: Value
            var exceptionDetails: Exception?
        }
        let wrapped = "(async () => { \(Self.tools) return String(await (\(expression))); })()"
        let evaluated = try await browser.call(
            "Runtime.evaluate",
            #"{"awaitPromise":true,"returnByValue":true,"userGesture":true,"expression":\#(Chromium.quoted(wrapped))}"#,
            session: session, as: Evaluated.self)
        if let exception = evaluated.exceptionDetails {
            throw Chromium.Failure(description: "\(expression): \(exception.exception?.description ?? "?")")
        }
        return evaluated.result.value ?? ""
    }

    /// Waits until an expression is true.
    func wait(_ what: String, for expression: String, within limit: Duration = .seconds(40)) async throws {
        do {
            try await eventually(what, within: limit) {
                // The page may be on its way to another one.
                (try? await evaluate("Boolean(\(expression))")) == "true"
            }
        } catch {
            let seen = (try? await evaluate("document.body.innerText")) ?? "nothing"
            throw Chromium.Failure(description: "\(error) Seen: \(seen) Problems: \(browser.problems)")
        }
    }

    /// Presses and releases a key that types nothing.
    func press(_ key: String, times: Int = 1) async throws {
        // Range inputs go by the key's code.
        let code = ["ArrowLeft": 37, "ArrowRight": 39, "Home": 36][key] ?? 0
        for _ in 0..<times {
            for type in ["rawKeyDown", "keyUp"] {
                let parameters =
                    #"{"type":"\#(type)","key":"\#(key)","code":"\#(key)","windowsVirtualKeyCode":\#(code)}"#
                _ = try await call("Input.dispatchKeyEvent", parameters)
            }
        }
    }

    /// Makes the window so wide, and the scheme dark or light.
    func show(width: Int, height: Int = 900, isDark: Bool = false) async throws {
        _ = try await call(
            "Emulation.setDeviceMetricsOverride",
            #"{"width":\#(width),"height":\#(height),"deviceScaleFactor":1,"mobile":\#(width < 600)}"#)
        _ = try await call(
            "Emulation.setEmulatedMedia",
            #"{"features":[{"name":"prefers-color-scheme","value":"\#(isDark ? "dark" : "light")"}]}"#)
    }

    /// Keeps a screenshot of the whole page among the test's output, `.build/screenshots`.
    func keepScreenshot(_ name: String) async throws {
        struct Picture: Decodable { var data: Data }
        let picture = try await browser.call(
            "Page.captureScreenshot", #"{"format":"png","captureBeyondViewport":true}"#, session: session,
            as: Picture.self)
        try Self.keep(picture.data, name)
    }

    /// Keeps a screenshot among the test's output.
    static func keep(_ picture: Data, _ name: String) throws {
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
        try picture.write(to: pictures.appending(path: "\(name).png"))
    }

    private static let pictures = Repository.url(".build/screenshots")
}
