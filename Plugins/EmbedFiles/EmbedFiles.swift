// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import PackagePlugin

/// Gives the server `EmbeddedFiles`: the pages, scripts and styles in `Web`, and the description of its HTTP API.
///
/// As literals of text, which cost the compiler nothing. What SwiftPM embeds by itself is an array of integers for each
/// file, with which these took it two minutes.
///
/// The script lists the files by itself: a build keeps this plan, and would not know a new one. It runs again where one
/// has changed, or a folder.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let script = root.appending(path: "Scripts/embed-files.sh")
        let web = root.appending(path: "Web")
        let description = target.directoryURL.appending(path: "API/openapi.json")
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        // Not what editors leave behind.
        let inside = try FileManager.default.subpathsOfDirectory(atPath: path(web)).sorted().filter {
            !URL(filePath: $0).lastPathComponent.hasPrefix(".")
        }
        return [
            .buildCommand(
                displayName: "Embedding Web and openapi.json", executable: URL(filePath: "/bin/sh"),
                arguments: [script, output, description, web].map(path),
                inputFiles: [script, description, web] + inside.map { web.appending(path: $0) },
                outputFiles: [output])
        ]
    }

    private func path(_ url: URL) -> String { url.path(percentEncoded: false) }
}
