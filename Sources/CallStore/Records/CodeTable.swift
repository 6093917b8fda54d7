// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Names and the small numbers that stand for them in the store.
///
/// Append-only: a number keeps its name for as long as there are stores that hold it. A name that has no number
/// yet is stored as absent, which is not the same as any name.
struct CodeTable: Sendable {
    /// By their numbers.
    let names: [String]

    /// The number of a name; `nil` for none, or one that is not known.
    func code(of name: String?) -> Int64? {
        guard let name, let index = names.firstIndex(of: name) else { return nil }
        return Int64(index)
    }

    /// The name of a number; `nil` for none, or one from a newer version.
    func name(of code: Int64?) -> String? {
        guard let code, names.indices.contains(Int(clamping: code)) else { return nil }
        return names[Int(clamping: code)]
    }

    static let conditions = CodeTable(names: ["unknown", "critical", "warning", "fair", "good", "excellent"])
    static let reasons = CodeTable(names: [
        "none", "unknown", "bandwidth", "packetLoss", "networkConditionChange", "connection",
    ])
    static let sources = CodeTable(names: ["none", "bothOrUnclear", "local", "remote", "unknown"])
    static let causes = CodeTable(names: [
        "none", "packetLoss", "bandwidth", "latency", "jitter", "connection", "cpu", "device", "media",
        "recovering", "unknown",
    ])
    static let directions = CodeTable(names: ["uplink", "downlink", "both"])
    static let limitations = CodeTable(names: [
        "none", "bandwidth", "cpu", "codec", "resolution", "layerChange", "other",
    ])
}
