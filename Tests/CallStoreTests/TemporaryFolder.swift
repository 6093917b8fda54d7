// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// A folder of a test's own, gone after it.
struct TemporaryFolder: ~Copyable {
    let url = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Where a store is to be.
    var store: String { url.appending(path: "calls.sqlite").path }

    /// Names of the files in it.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    /// What everyone may do with a file, such as `600`.
    func mode(_ name: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.appending(path: name).path)
        return String((attributes[.posixPermissions] as? Int) ?? 0, radix: 8)
    }
}
