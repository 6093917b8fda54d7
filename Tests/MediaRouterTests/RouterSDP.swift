// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// The router's reading of offers, through the C ABI.
enum RouterSDP {
    struct Refusal: Error, Equatable {
        var status: Int
        var message: String
    }

    /// The router's view of an offer.
    static func view(publisher: Bool, _ offer: String, codec: String? = nil) throws(Refusal) -> SDPLines {
        var error = sl_error()
        guard let text = sl_router_view_offer(publisher, offer, codec, &error) else {
            let message = withUnsafeBytes(of: error.message) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw Refusal(status: Int(error.status), message: message)
        }
        defer { sl_router_free_text(text) }
        return SDPLines(String(cString: text))
    }

    /// An answer to that view, as an answer to the offer; `nil` if the offer is refused.
    static func fold(offer: String, answer: String) -> SDPLines? {
        guard let text = sl_router_fold_answer(offer, answer) else { return nil }
        defer { sl_router_free_text(text) }
        return SDPLines(String(cString: text))
    }
}

/// A session description by lines and m-lines.
struct SDPLines: Equatable {
    var session: [String] = []
    var sections: [[String]] = []

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline).map(String.init) {
            if line.hasPrefix("m=") {
                sections.append([line])
            } else if sections.isEmpty {
                session.append(line)
            } else {
                sections[sections.count - 1].append(line)
            }
        }
    }

    var all: [String] { session + sections.flatMap { $0 } }
    var text: String { all.map { $0 + "\r\n" }.joined() }

    /// What follows `prefix` in the lines of a section that begin with it.
    func values(_ prefix: String, in section: Int) -> [String] {
        sections[section].filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
