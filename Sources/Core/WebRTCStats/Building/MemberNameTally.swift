// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What is known of the names of an object's members while they are read.
struct MemberNameTally {
    private var listed = MemberSet()
    private var others = 0

    /// Whether a name may have come twice: names that are not in ``MemberNames`` are only counted.
    private(set) var mayRepeat = false

    /// - Parameter number: Number of the next member's name; `0` if it is not in ``MemberNames``.
    @inline(__always)
    mutating func note(_ number: UInt8) {
        if number == 0 {
            others += 1
            if others > 1 { mayRepeat = true }
        } else if !listed.insert(number) {
            mayRepeat = true
        }
    }
}
