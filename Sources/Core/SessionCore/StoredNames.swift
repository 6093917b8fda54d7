// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// What is stored of people's names.
package struct StoredNames: Sendable {
    /// What stands for a name; the same for the same name.
    let participant: @Sendable (_ name: String?) -> String?
    /// Whether names are stored in clear as well.
    let keepsNames: Bool

    package init(keepsNames: Bool, participant: @escaping @Sendable (_ name: String?) -> String?) {
        self.keepsNames = keepsNames
        self.participant = participant
    }

    /// The name as it is stored.
    func displayName(_ name: String?) -> String? { keepsNames ? name : nil }

    /// What is stored of a stream's description.
    func content(_ content: StreamContent) -> StreamContent {
        var content = content
        if !keepsNames { content.name = nil }
        return content
    }
}
