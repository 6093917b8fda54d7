// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation

/// Where a secret comes from: an option, a file, or the environment, in this order.
///
/// An option is seen in the list of processes; the other two are not. Blanks and line breaks around it are no part of it,
/// wherever it stands: a server gets its variables as options, other commands do not, and both have to mean the same secret.
struct SecretSource {
    /// The option's name, such as `--secret`.
    let name: String
    let option: String?
    let file: String?
    /// The environment's variable.
    let variable: String

    /// The secret; `nil` if none was given.
    ///
    /// - Throws: `ValidationError` if the file cannot be read or is empty.
    func secret(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String? {
        if let option = Self.trimmed(option) { return option }
        if let file {
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw ValidationError("\(name)-file: '\(file)' cannot be read.")
            }
            guard let secret = Self.trimmed(text) else {
                throw ValidationError("\(name)-file: '\(file)' is empty.")
            }
            return secret
        }
        return Self.trimmed(environment[variable])
    }

    /// `nil` if nothing is left.
    private static func trimmed(_ text: String?) -> String? {
        let secret = text?.trimmingCharacters(in: .whitespacesAndNewlines)
        return secret?.isEmpty == false ? secret : nil
    }
}
