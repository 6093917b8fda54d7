// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StringProtocol {
    /// What of a text takes at most that many bytes as UTF-8; no character of Unicode is cut.
    ///
    /// What people see as one character can be of any length, so that counting those bounds nothing.
    package func cut(toBytes limit: Int) -> String {
        let text = String(self)
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: Swift.max(limit, 0))
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }
}
