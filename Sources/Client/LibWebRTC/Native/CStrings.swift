// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// C strings that live as long as this object.
final class CStrings {
    private var owned: [UnsafeMutablePointer<CChar>] = []

    deinit { owned.forEach { $0.deallocate() } }

    /// A terminated copy of `text`; null for `nil`.
    func copy(_ text: String?) -> UnsafePointer<CChar>? {
        guard let text else { return nil }
        let bytes = text.utf8CString
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: Array(bytes), count: bytes.count)
        owned.append(copy)
        return UnsafePointer(copy)
    }
}
