// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Sequence<UInt8> {
    /// The bytes where they are, or a copy of no more than is needed to see that they are too many.
    func withInput<Result>(
        within limits: ParseLimits, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let result = withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        if let result { return result }
        let copy = Array(prefix(Swift.min(Swift.max(limits.bytes, 0), .max - 1) + 1))
        return copy.withUnsafeBytes(body)
    }
}
