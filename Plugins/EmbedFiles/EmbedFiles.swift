// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import PackagePlugin

/// Gives the server `EmbeddedFiles`: the pages, scripts and styles in `Web`, and the description of its HTTP API.
///
/// As literals of text, which cost the compiler nothing. What SwiftPM embeds by itself is an array of integers for each
/// file, with which these took it two minutes.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let script = root.appending(path: "Scripts/embed-files.sh")
        let web = root.appending(path: "Web")
        let description = target.directoryURL.appending(path: "API/openapi.json")
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        let names = try FileManager.default.subpathsOfDirectory(atPath: path(web)).sorted().filter {
            // Neither folders nor what editors leave behind.
            let name = URL(filePath: $0)
            return Self.kinds.contains(name.pathExtension) && !name.lastPathComponent.hasPrefix(".")
        }
        return [
            .buildCommand(
                displayName: "Embedding Web and openapi.json", executable: URL(filePath: "/bin/sh"),
                arguments: [path(script), path(output), path(description), path(web)] + names,
                inputFiles: [script, description] + names.map { web.appending(path: $0) },
                outputFiles: [output])
        ]
    }

    /// The files that a page is made of.
    private static let kinds: Set = ["css", "html", "js", "json", "svg", "ts"]

    private func path(_ url: URL) -> String { url.path(percentEncoded: false) }
}
