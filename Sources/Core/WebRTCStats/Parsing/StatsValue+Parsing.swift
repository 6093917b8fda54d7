// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StatsValue {
    /// Reads any JSON value: what a report is wrapped in, where it does not stand alone.
    ///
    /// As lenient as ``StatsReport/parse(_:limits:)``: of members that come twice the last one counts, numbers that
    /// are not finite become `null`, and what is not valid Unicode is replaced.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 text of one value, with or without byte order mark.
    ///   - limits: How much to take; ``ParseLimits/entries`` and ``ParseLimits/valuesPerEntry`` do not apply.
    /// - Throws: ``StatsParseError`` if the bytes are not one JSON value, or pass a limit.
    public static func parse(
        _ bytes: some Sequence<UInt8>, limits: ParseLimits = .default
    ) throws(StatsParseError) -> StatsValue {
        try bytes.withInput(within: limits) { parse($0, limits) }.get()
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer, _ limits: ParseLimits
    ) -> Result<StatsValue, StatsParseError> {
        guard bytes.count <= limits.bytes else {
            return .failure(StatsParseError(.tooLarge, offset: bytes.count))
        }
        var reader = JSONReader(bytes, depthLimit: min(limits.depth, ParseLimits.maximumDepth))
        reader.skipByteOrderMark()
        do throws(JSONFailure) {
            reader.skipSpace()
            let value = try reader.readValue(depth: 0)
            reader.skipSpace()
            guard reader.position == bytes.count else { throw reader.failure() }
            return .success(value)
        } catch {
            return .failure(StatsParseError(error.code, offset: error.offset))
        }
    }
}
