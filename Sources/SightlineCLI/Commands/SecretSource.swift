// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ArgumentParser
import Foundation

/// Where a secret comes from: an option, a file, or the environment, in this order.
///
/// An option is seen in the list of processes; the other two are not.
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
        if let option, !option.isEmpty { return option }
        if let file {
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw ValidationError("\(name)-file: '\(file)' cannot be read.")
            }
            let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !secret.isEmpty else { throw ValidationError("\(name)-file: '\(file)' is empty.") }
            return secret
        }
        // As in a file: what a shell or a unit file adds at the end is no part of it.
        let given = environment[variable]?.trimmingCharacters(in: .whitespacesAndNewlines)
        return given?.isEmpty == false ? given : nil
    }
}
