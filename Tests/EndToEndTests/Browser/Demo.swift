// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// The demo with a browser.
struct Demo {
    let browser: Chromium
    /// With the token.
    let link: String
    var address: String { String(link.prefix { $0 != "#" }) }

    static func run(_ options: [String] = [], _ body: (Demo) async throws -> Void) async throws {
        try await serve(options) { link in
            let browser = try await Chromium()
            let result: Result<Void, any Error>
            do { result = .success(try await body(Demo(browser: browser, link: link))) } catch {
                result = .failure(error)
            }
            try await browser.close()
            try result.get()
        }
    }

    /// The demo without a browser; `body` gets the dashboard's link.
    static func serve(_ options: [String] = [], _ body: (String) async throws -> Void) async throws {
        let process = try ChildProcess(
            BuiltProducts.sightline, ["demo", "--format", "json", "--resolution", "320x180"] + options)
        var link: String?
        try await eventually("the dashboard's link", within: .seconds(60)) {
            link = process.errors.split(separator: "\n").lazy
                .compactMap { $0.split(separator: "dashboard: ").last.map(String.init) }
                .first { $0.hasPrefix("http") }
            return link != nil
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(link ?? "")) } catch { result = .failure(error) }
        process.send(signal: SIGINT)
        #expect(try await process.exitCode(within: .seconds(30)) == 0, "\(process.errors)")
        try result.get()
    }

    /// Opens the link, which shows the session that is live.
    func openSession() async throws -> BrowserPage {
        let page = try await browser.open(link)
        try await page.show(width: 1280)
        try await page.wait(
            "charts, both participants and their networks",
            for: "all('canvas').length > 5 && all('.card .flow').length > 1 && all('details').length > 1")
        return page
    }
}
