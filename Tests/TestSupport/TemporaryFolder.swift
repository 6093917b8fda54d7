// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// A folder of a test's own; it is deleted with this, which a test therefore holds as long as it needs the folder.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// Makes an empty one.
    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sightline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path }

    /// Where a file or folder of it is, or is to be.
    package func file(_ name: String) -> URL { url.appending(path: name) }
}
