// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import PackagePlugin

/// Gives a target `BuildCommit`: the commit that it is built from.
///
/// Asks before every build, since a manifest is evaluated once and kept: `Context.gitInformation` there is
/// that of an older commit. The file changes only with what it says, so nothing is compiled again for it otherwise.
@main
struct StampCommit: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target _: any Target) throws -> [Command] {
        let script = context.package.directoryURL.appending(path: "Scripts/stamp-commit.sh")
        let output = context.pluginWorkDirectoryURL.appending(path: "Generated")
        return [
            .prebuildCommand(
                displayName: "Commit of the build", executable: URL(filePath: "/bin/sh"),
                arguments: [script.path(percentEncoded: false), output.path(percentEncoded: false)],
                outputFilesDirectory: output)
        ]
    }
}
