// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Sequence<UInt8> {
    /// Two hexadecimal digits for each byte, in lower case.
    var hexDigits: String {
        map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    }
}
