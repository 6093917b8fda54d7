// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import Packing

/// What a server answers to the offer to pack messages: permessage-deflate (RFC 7692).
struct DeflateAnswer: Sendable, Equatable {
    /// What the client offers.
    static let offer = "\(DeflateParameters.name); server_no_context_takeover; client_max_window_bits"
    /// Windows that a server may say it has, bits.
    private static let serverWindows = 8...15

    /// How far back a message of the client's may refer, bits.
    let clientWindowBits: Int
    /// Whether it may refer to the client's messages before it.
    let clientKeepsWindow: Bool
    /// The window that is kept from one of the server's messages to the next, bits; `nil` if each stands for itself.
    let serverWindowBits: Int?

    /// Reads an answer; `nil` if it is no agreement, or is one to something that was not asked for.
    init?(_ text: String) {
        guard let answer = DeflateParameters(text) else { return nil }
        var client = (bits: DeflateParameters.windows.upperBound, keeps: true)
        var server = (bits: Self.serverWindows.upperBound, keeps: true)
        for (name, value) in answer.parameters {
            switch (name, value.map { Int($0) ?? 0 }) {
            case ("client_max_window_bits", let bits?) where DeflateParameters.windows.contains(bits):
                client.bits = bits
            case ("client_no_context_takeover", nil): client.keeps = false
            case ("server_max_window_bits", let bits?) where Self.serverWindows.contains(bits):
                server.bits = bits
            case ("server_no_context_takeover", nil): server.keeps = false
            default: return nil
            }
        }
        clientWindowBits = client.bits
        clientKeepsWindow = client.keeps
        serverWindowBits = server.keeps ? server.bits : nil
    }
}
#endif
