// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// The files of this repository, where a test reads some.
package enum Repository {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A file or folder, such as `Docs/findings.md`.
    package static func url(_ path: String) -> URL { root.appending(path: path) }

    /// A file or folder in `Tests/Fixtures`, such as `recordings/publisher.jsonl`.
    package static func fixture(_ path: String) -> URL { url("Tests/Fixtures").appending(path: path) }
}
