// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Compiled together with the sources of WebRTCStats by Scripts/fuzz.sh.

/// One input of libFuzzer: it may be refused, but what is read must survive writing and reading.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStatsReport(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: bytes, count: count)
    guard let parsed = try? StatsReport.parse(input) else { return 0 }
    let redacted = parsed.report.redactingAddresses()
    for report in [parsed.report, redacted] {
        guard let again = try? StatsReport.parse(report.json()), again.report == report else {
            fatalError("a report changed when it was written and read")
        }
    }
    return 0
}
