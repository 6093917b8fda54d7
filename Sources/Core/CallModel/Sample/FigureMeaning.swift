// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a figure or word of a sample means, for whoever reads it, and where it comes from.
package struct FigureMeaning: Sendable {
    /// What it says, in a sentence without its unit.
    package let text: String
    /// Where its definition is.
    package let source: String

    init(_ text: String, _ source: String) {
        self.text = text
        self.source = source
    }

    /// What our rules define.
    static func rules(_ text: String) -> FigureMeaning { FigureMeaning(text, "the quality model") }

    /// What the W3C's statistics define, by one member of theirs if one alone does.
    static func statistics(_ text: String, _ member: String? = nil) -> FigureMeaning {
        FigureMeaning(text, (member.map { "`\($0)`, " } ?? "") + "W3C webrtc-stats")
    }
}
