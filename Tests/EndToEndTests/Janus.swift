// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport

/// A real Janus with its video rooms, on the loopback interface alone.
struct Janus {
    static let path = "/usr/bin/janus"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: path) && compiler != nil

    /// Where pages reach it.
    let url: String
    private let process: ChildProcess
    private let folder: URL

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "janus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let port = try UnusedPort.find(SOCK_STREAM)
        url = "ws://127.0.0.1:\(port)"
        for (name, text) in Self.settings(port) {
            try Data(text.utf8).write(to: folder.appending(path: "\(name).jcfg"))
        }
        let shim = try await Self.makeShim(in: folder)
        process = try ChildProcess(
            URL(filePath: Self.path),
            ["-F", folder.path, "-C", folder.appending(path: "janus.jcfg").path],
            environment: ["LD_PRELOAD": shim.path])
        try await eventually("Janus' start") {
            process.lines.contains { $0.contains("Websockets server started") }
        }
    }

    /// What it has said so far.
    var log: String { (process.lines + [process.errors]).joined(separator: "\n") }

    func close() async throws {
        process.send(signal: SIGKILL)
        _ = try? await process.exitCode()
        try FileManager.default.removeItem(at: folder)
    }

    /// Its files, by their names.
    private static func settings(_ port: UInt16) -> [String: String] {
        let modules = "/usr/lib/\(architecture)-linux-gnu/janus"
        return [
            "janus": """
            general: {
                plugins_folder = "\(modules)/plugins"
                transports_folder = "\(modules)/transports"
                events_folder = "\(modules)/events"
                loggers_folder = "\(modules)/loggers"
                debug_colors = false
            }
            nat: { ice_lite = true, ice_enforce_list = "127.0.0.1" }
            plugins: { disable = "\(modulesBut("videoroom", in: "\(modules)/plugins"))" }
            transports: { disable = "\(modulesBut("websockets", in: "\(modules)/transports"))" }
            """,
            "janus.transport.websockets": """
            general: { ws = true, ws_port = \(port), ws_ip = "127.0.0.1", json = "compact" }
            """,
            "janus.plugin.videoroom": "general: { string_ids = true }",
        ]
    }

    /// All modules of a folder but one.
    private static func modulesBut(_ name: String, in folder: String) -> String {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return all.filter { $0.hasSuffix(".so") && $0 != "libjanus_\(name).so" }.sorted().joined(
            separator: ",")
    }

    private static var architecture: String {
        #if arch(arm64)
        "aarch64"
        #else
        "x86_64"
        #endif
    }

    private static let compiler = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Janus gathers no candidates on a loopback interface: this hides from it that it is one.
    private static func makeShim(in folder: URL) async throws -> URL {
        let source = folder.appending(path: "shim.c"), library = folder.appending(path: "shim.so")
        let text = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <ifaddrs.h>
            #include <net/if.h>
            int getifaddrs(struct ifaddrs **all) {
                int (*real)(struct ifaddrs **) = dlsym(RTLD_NEXT, "getifaddrs");
                int result = real(all);
                if (result == 0)
                    for (struct ifaddrs *one = *all; one; one = one->ifa_next) one->ifa_flags &= ~IFF_LOOPBACK;
                return result;
            }
            """
        try Data(text.utf8).write(to: source)
        let compilation = try ChildProcess(
            URL(filePath: compiler ?? "/usr/bin/cc"), ["-shared", "-fPIC", "-o", library.path, source.path])
        guard try await compilation.exitCode() == 0 else {
            throw Chromium.Failure(description: compilation.errors)
        }
        return library
    }
}
