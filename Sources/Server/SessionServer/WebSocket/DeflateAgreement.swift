// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Packing

/// What a server agrees to when a client offers to pack its messages: permessage-deflate (RFC 7692).
///
/// From then on both may: the client with a window that is kept, the server each message for itself, so that it keeps nothing for a
/// client, and what goes to many is packed once.
struct DeflateAgreement: Sendable, Equatable {
    /// The largest window that the server keeps for a client, bits: the last few messages, in 4 KiB.
    private static let keptBits = 12

    /// The window that is kept from one of the client's messages to the next, bits; `nil` if each stands for itself.
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
        guard let offer = DeflateParameters(offer) else { return nil }
        var bits: Int?
        var keepsWindow = true
        for (name, value) in offer.parameters {
            switch (name, value) {
            case ("client_max_window_bits", nil): bits = Self.keptBits
            case ("client_max_window_bits", let value?):
                guard let asked = Int(value), DeflateParameters.windows.contains(asked) else { return nil }
                bits = min(asked, Self.keptBits)
            case ("client_no_context_takeover", nil): keepsWindow = false
            case ("server_no_context_takeover", nil): break
            // What is packed once for many has one window for all; no browser asks for another one.
            default: return nil
            }
        }
        windowBits = keepsWindow ? bits : nil
    }

    /// What the answer says.
    ///
    /// A client that cannot make its window small keeps none: 32 KiB for each would be most of the server's memory.
    var answer: String {
        let client = windowBits.map { "client_max_window_bits=\($0)" } ?? "client_no_context_takeover"
        return "\(DeflateParameters.name); server_no_context_takeover; \(client)"
    }
}
