// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One word of what a client says: its member's name, where it is, and the words that it may be.
struct Word<Owner>: Sendable {
    let name: String
    let path: any WritableKeyPath<Owner, String?> & Sendable
    let known: Set<String>

    init(_ name: String, _ path: any WritableKeyPath<Owner, String?> & Sendable, _ known: Set<String>) {
        self.name = name
        self.path = path
        self.known = known
    }

    /// Leaves out a word that is not known: a newer client may say it.
    ///
    /// - Throws: `malformed` if it is no word.
    func hold(_ owner: inout Owner) throws(ServerError) {
        guard let word = owner[keyPath: path], !known.contains(word) else { return }
        try Word<Void>.check(word, name)
        owner[keyPath: path] = nil
    }
}

extension Word<Void> {
    /// Checks that a text is short and looks like a name in a program, known or not.
    ///
    /// - Throws: `malformed` if it does not.
    static func check(_ text: String, _ member: String) throws(ServerError) {
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isWord, (1...SessionProtocol.wordLimit).contains(text.utf8.count) else {
            throw ServerError(
                .malformed,
                "\"\(member)\" must have 1 to \(SessionProtocol.wordLimit) letters, digits, \"_\", \"-\" or \".\""
            )
        }
    }
}
