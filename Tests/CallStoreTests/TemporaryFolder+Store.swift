// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport

extension TemporaryFolder {
    /// Where a store is to be.
    var store: String { file("calls.sqlite").path }

    /// Names of the files in it.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// What everyone may do with a file, such as `600`.
    func mode(_ name: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
        return String((attributes[.posixPermissions] as? Int) ?? 0, radix: 8)
    }
}
