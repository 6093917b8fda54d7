// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Parameters in their binary forms, one behind the other.
struct EncodedParameters {
    let types: [UInt32]
    /// Where each one begins; `nil` for none.
    private let offsets: [Int?]
    private let lengths: [Int32]
    private let bytes: [UInt8]

    var count: Int32 { Int32(types.count) }

    /// - Throws: ``PostgresError`` of the kind ``PostgresError/Kind/invalid`` if they are too many, or too large.
    init(_ sql: String, _ parameters: [PostgresValue]) throws(PostgresError) {
        guard !sql.utf8.contains(0) else {
            throw PostgresError(.invalid, "a statement ends at its first NUL")
        }
        guard parameters.count <= PostgresSession.parameterLimit else {
            throw PostgresError(
                .invalid, "a statement has \(PostgresSession.parameterLimit) parameters at most")
        }
        // Never empty, so that every offset has an address.
        var bytes: [UInt8] = [0]
        var (offsets, lengths): ([Int?], [Int32]) = ([], [])
        for parameter in parameters {
            let offset = bytes.count
            parameter.append(to: &bytes)
            guard bytes.count <= PostgresSession.byteLimit else {
                throw PostgresError(
                    .invalid, "the parameters of a statement have \(PostgresSession.byteLimit) bytes at most")
            }
            offsets.append(parameter == .null ? nil : offset)
            lengths.append(Int32(bytes.count - offset))
        }
        types = parameters.map(\.type.rawValue)
        self.offsets = offsets
        self.lengths = lengths
        self.bytes = bytes
    }

    func withPointers<Result>(
        _ body: (
            _ types: [UInt32], _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let characters = buffer.assumingMemoryBound(to: CChar.self)
            let values = offsets.map { offset in offset.flatMap { characters.baseAddress?.advanced(by: $0) } }
            return body(types, values, lengths, Array(repeating: 1, count: types.count))
        }
    }
}
