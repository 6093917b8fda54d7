// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a server agrees to when a client offers to pack its messages: permessage-deflate (RFC 7692).
///
/// Only the client packs: what a server says is short, or is the same for many.
struct DeflateAgreement: Sendable, Equatable {
    /// The field of requests and answers that speaks of it.
    static let field = "Sec-WebSocket-Extensions"
    private static let name = "permessage-deflate"
    /// What a window may have, bits; zlib has none of fewer.
    private static let windows = 9...15
    /// The largest window that the server keeps for a client, bits: the last few messages, in 4 KiB.
    private static let keptBits = 12

    /// The window that is kept from one message to the next, bits; `nil` if each message stands for itself.
    let windowBits: Int?

    /// The first offer that can be taken; `nil` if none can.
    ///
    /// - Parameter offers: As the field has them, without the commas.
    init?(offers: some Sequence<some StringProtocol>) {
        for offer in offers {
            guard let agreement = Self(offer: offer) else { continue }
            self = agreement
            return
        }
        return nil
    }

    private init?(offer: some StringProtocol) {
        let plain = String(offer).lowercased().filter { $0 != " " && $0 != "\t" }
        let parts = plain.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.first == Self.name[...] else { return nil }
        var bits: Int?
        var seen: Set<String> = []
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value: String? = pair.count > 1 ? pair[1].filter { $0 != "\"" } : nil
            guard let name = pair.first.map(String.init), seen.insert(name).inserted else { return nil }
            switch (name, value) {
            case ("client_max_window_bits", nil): bits = Self.keptBits
            case ("client_max_window_bits", let value?):
                guard let asked = Int(value), Self.windows.contains(asked) else { return nil }
                bits = min(asked, Self.keptBits)
            case ("client_no_context_takeover", nil), ("server_no_context_takeover", nil): break
            // The window of a server that packs: this one does not know of any.
            default: return nil
            }
        }
        windowBits = seen.contains("client_no_context_takeover") ? nil : bits
    }

    /// What the answer says.
    ///
    /// A client that cannot make its window small keeps none: 32 KiB for each would be most of the server's memory.
    var answer: String {
        let client = windowBits.map { "client_max_window_bits=\($0)" } ?? "client_no_context_takeover"
        return "\(Self.name); server_no_context_takeover; \(client)"
    }
}
