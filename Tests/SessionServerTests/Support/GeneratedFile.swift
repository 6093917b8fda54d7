// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

/// A file of the sources that a test makes, and writes if the environment has `SIGHTLINE_RECORD=1`.
struct GeneratedFile {
    static let isWritten = ProcessInfo.processInfo.environment["SIGHTLINE_RECORD"] == "1"

    private let path: String

    /// Names a file, by its path from the root of the repository.
    init(_ path: String) { self.path = path }

    /// What it holds.
    func text() throws -> String { try String(contentsOf: url, encoding: .utf8) }

    /// Expects it to hold a text, or writes that.
    func hold(_ text: String) throws {
        guard Self.isWritten else {
            let isSame = try self.text() == text
            return #expect(isSame, "\(path): SIGHTLINE_RECORD=1 writes it")
        }
        try Data(text.utf8).write(to: url)
        Issue.record("\(path) is written: look at the difference, and run again without SIGHTLINE_RECORD")
    }

    private var url: URL { Repository.url(path) }
}
