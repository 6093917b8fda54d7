// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization
import TestSupport

/// A headless Firefox with synthetic camera and microphone, steered by Marionette, which it has built in.
///
/// One window at a time: commands go to the one that was named last, so whoever steers two takes turns.
final class Firefox: Sendable {
    /// What the browser refused, or that it is gone.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    static let path = "/usr/bin/firefox-esr"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    private static let preferences = [
        "media.navigator.streams.fake": "true", "media.navigator.permission.disabled": "true",
        "media.autoplay.default": "0", "media.peerconnection.ice.loopback": "true",
        "media.peerconnection.ice.obfuscate_host_addresses": "false", "marionette.port": "0",
        // Nothing is to be asked of the outside.
        "browser.shell.checkDefaultBrowser": "false", "datareporting.policy.dataSubmissionEnabled": "false",
        "network.captive-portal-service.enabled": "false", "network.connectivity-service.enabled": "false",
        "app.update.enabled": "false", "extensions.update.enabled": "false",
        "media.gmp-manager.updateEnabled": "false", "browser.safebrowsing.update.enabled": "false",
        "services.settings.server": "\"data:,\"",
    ]

    private let folder: URL
    private let process: ChildProcess
    private let socket: MarionetteSocket

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "firefox-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = Self.preferences.map { "user_pref(\"\($0.key)\", \($0.value));" }
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: "user.js"))
        process = try ChildProcess(
            URL(filePath: Self.path), ["-headless", "-marionette", "-no-remote", "-profile", folder.path],
            // A profile of its own, and a home too.
            environment: ["HOME": folder.path, "MOZ_HEADLESS": "1"])
        let file = folder.appending(path: "MarionetteActivePort")
        var port: UInt16?
        try await eventually("the browser's port", within: .seconds(90)) {
            port = (try? String(contentsOf: file, encoding: .utf8)).flatMap { UInt16($0) }
            return port != nil
        }
        socket = try MarionetteSocket(port: port ?? 0)
        try await socket.begin()
        _ = try await socket.call("WebDriver:NewSession", #"{"capabilities":{}}"#)
        _ = try await socket.call("WebDriver:SetTimeouts", #"{"script":60000}"#)
    }

    /// Opens an address in a window of its own, since what is behind another one is slowed down; returns the
    /// window.
    func open(_ url: String) async throws -> String {
        struct Window: Decodable { var handle: String }
        let window = try await socket.call(
            "WebDriver:NewWindow", #"{"type":"window","focus":true}"#, as: Window.self)
        try await look(at: window.handle)
        _ = try await socket.call("WebDriver:Navigate", #"{"url":\#(Chromium.quoted(url))}"#)
        return window.handle
    }

    /// What an expression is in a window, as text; a promise is waited for.
    @discardableResult
    func evaluate(_ expression: String, in window: String) async throws -> String {
        struct Value: Decodable { var value: String? }
        try await look(at: window)
        let script = "\(BrowserPage.tools) return (async () => String(await (\(expression))))();"
        let answer = try await socket.call(
            "WebDriver:ExecuteScript", #"{"script":\#(Chromium.quoted(script)),"args":[]}"#, as: Value.self)
        return answer.value ?? ""
    }

    /// Waits until an expression is true.
    func wait(_ what: String, in window: String, for expression: String) async throws {
        do {
            try await eventually(what, within: .seconds(60)) {
                (try? await evaluate("Boolean(\(expression))", in: window)) == "true"
            }
        } catch {
            let seen = (try? await evaluate("document.body.innerText", in: window)) ?? "nothing"
            throw Failure(description: "\(error) Seen: \(seen)")
        }
    }

    /// Keeps a screenshot of a window among the test's output, `.build/screenshots`.
    func keepScreenshot(_ name: String, of window: String) async throws {
        struct Picture: Decodable { var value: Data }
        try await look(at: window)
        let picture = try await socket.call("WebDriver:TakeScreenshot", #"{"full":true}"#, as: Picture.self)
        try BrowserPage.keep(picture.value, name)
    }

    private func look(at window: String) async throws {
        let handle = Chromium.quoted(window)
        _ = try await socket.call("WebDriver:SwitchToWindow", #"{"handle":\#(handle),"name":\#(handle)}"#)
    }

    /// Ends it.
    func close() async throws {
        _ = try? await socket.call("Marionette:Quit", #"{"flags":["eForceQuit"]}"#)
        do { _ = try await process.exitCode(within: .seconds(20)) } catch { process.send(signal: SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }
}
