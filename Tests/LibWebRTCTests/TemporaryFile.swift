// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// A file that is gone when the test is done with it.
final class TemporaryFile {
    let path: String

    init(_ bytes: [UInt8], extension suffix: String) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).\(suffix)")
        try Data(bytes).write(to: url)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
