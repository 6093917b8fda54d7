// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import NIOHTTP1
import SessionWire
import Synchronization
import TestSupport
import Testing

@testable import SessionServer

@Suite("The dashboard's files, and what only a demo offers")
struct DashboardTests {
    @Test(
        "pages are open to everyone, run only scripts of their own, and everything that they name is there")
    func pages() async throws {
        try await TestServer.run { server in
            var waiting = ["/", "/join"]
            var seen: Set<String> = []
            while let path = waiting.popLast() {
                guard seen.insert(path).inserted else { continue }
                let answer = try await TestHTTP.request(.GET, path, port: server.port)
                #expect(answer.status == 200, "\(path)")
                let policy = try #require(answer.headers.first(name: "Content-Security-Policy"))
                #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "\(path)")
                #expect(answer.headers.first(name: "X-Content-Type-Options") == "nosniff")
                waiting += answer.text.matches(of: /(?:src|href)="(\/web\/[^"]+)"/).map { String($0.1) }
                let folder = URL(filePath: path).deletingLastPathComponent()
                waiting += answer.text.matches(of: /(?:from|import) "(\.[^"]+)"/).map {
                    folder.appending(path: String($0.1)).standardized.path
                }
            }
            let missing = Set(try Self.files().map { "/web/\($0)" }).subtracting(seen)
            // Pages of apps name these, their editors the types, and packagers the package.
            let forOthers: Set = [
                "/web/observe/observe.js", "/web/observe/socket.js", "/web/observe/known.js",
                "/web/observe/page.js", "/web/observe/queue.js",
                "/web/observe/observe.d.ts",
                "/web/client/index.d.ts", "/web/client/bars.d.ts", "/web/client/package.json",
            ]
            #expect(missing == forOthers.union(["/web/dashboard/index.html", "/web/join/join.html"]))
        }
    }

    @Test("each file in Web is built in, line by line, scripts without their comments, and none more")
    func builtIn() throws {
        let files = try Self.files()
        #expect(Set(EmbeddedFiles.web.keys) == Set(files))
        for file in files {
            let source = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
            let built = try #require(WebFiles(directory: nil).file(file)).bytes
            guard file.hasSuffix(".js") else {
                #expect(built == Array(source.utf8), "\(file)")
                continue
            }
            let lines = String(decoding: built, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            let sources = source.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == sources.count, "\(file)")
            #expect(lines.prefix(2) == sources.prefix(2), "\(file)")
            for (line, source) in zip(lines, sources) where line != source {
                #expect(line.isEmpty && source.contains(/^ *(\/\/|\/\*| \*)/), "\(file): \(source)")
                #expect(!source.contains(/\*\/ *[^ ]/), "code behind a comment is lost: \(file): \(source)")
            }
            #expect(!lines.dropFirst(2).contains { $0.contains(/^ *(\/\/|\/\*)/) }, "\(file)")
        }
    }

    @Test("what a browser has already is not sent again, and is asked for each time")
    func tags() async throws {
        try await TestServer.run { server in
            var tags: Set<String> = []
            for path in ["/", "/join", "/web/client/index.js", "/web/shared/style.css"] {
                let first = try await TestHTTP.request(.GET, path, port: server.port)
                let tag = try #require(first.headers.first(name: "ETag"), "\(path)")
                #expect(first.headers.first(name: "Cache-Control") == "no-cache" && !first.text.isEmpty)
                let again = try await TestHTTP.request(
                    .GET, path, port: server.port, headers: ["If-None-Match": tag])
                #expect(again.status == 304 && again.text.isEmpty, "\(path)")
                #expect(again.headers.first(name: "ETag") == tag)
                let other = try await TestHTTP.request(
                    .GET, path, port: server.port, headers: ["If-None-Match": "\"other\""])
                #expect(other.status == 200 && other.text == first.text, "\(path)")
                tags.insert(tag)
            }
            #expect(tags.count == 4)
        }
    }

    @Test("no script of ours makes HTML of a text")
    func noHTML() async throws {
        try await TestServer.run { server in
            for file in try Self.files() {
                let answer = try await TestHTTP.request(.GET, "/web/\(file)", port: server.port)
                #expect(answer.status == 200, "\(file)")
                let text = answer.text
                let traps = ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
                for trap in traps { #expect(!text.contains(trap), "\(file): \(trap)") }
            }
        }
    }

    @Test(
        "nothing else is served",
        arguments: [
            "/web/dashboard/none.js", "/web/app.js", "/web/client/app.js", "/web/..%2F..%2Fopenapi.json",
            "/web/shared/..%2F..%2FPackage.swift", "/vendor/chart.js/chart.js", "/web", "/web/shared",
        ])
    func nothingElse(path: String) async throws {
        try await TestServer.run { server in
            let answer = try await TestHTTP.request(.GET, path, port: server.port)
            #expect(answer.status == 404)
        }
    }

    @Test("files come from a directory if one is named, by the same names only")
    func directory() async throws {
        let folder = try TemporaryFolder()
        let dashboard = folder.file("dashboard")
        try FileManager.default.createDirectory(at: dashboard, withIntermediateDirectories: true)
        try Data("changed".utf8).write(to: dashboard.appending(path: "app.js"))
        try Data("secret".utf8).write(to: dashboard.appending(path: "other.js"))
        var configuration = TestServer.configuration
        configuration.webDirectory = folder.path
        try await TestServer.run(configuration) { server in
            let changed = try await TestHTTP.request(.GET, "/web/dashboard/app.js", port: server.port)
            #expect(changed.text == "changed")
            let other = try await TestHTTP.request(.GET, "/web/dashboard/other.js", port: server.port)
            #expect(other.status == 404)
        }
    }

    @Test("clients' tokens are made with an API token of that scope as well")
    func tokens() async throws {
        try await TestServer.run { server in
            let session = try await server.server.createSession().session
            for (scope, status) in [(APIScope.tokens, 201), (.read, 403)] {
                let token = try await server.apiToken([scope])
                let made = try await TestHTTP.request(
                    .POST, "/v1/sessions/\(session)/tokens", port: server.port,
                    body: #"{"role":"publisher"}"#,
                    headers: ["Authorization": "Bearer \(token)"])
                #expect(made.status == status)
            }
        }
    }

    /// Every file of the pages, such as `dashboard/app.js`.
    private static func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { name in
            var isFolder = ObjCBool(false)
            _ = FileManager.default.fileExists(
                atPath: root.appending(path: name).path, isDirectory: &isFolder)
            return !isFolder.boolValue && !URL(filePath: name).lastPathComponent.hasPrefix(".")
        }
    }

    private static let root = Repository.url("Web")
}
