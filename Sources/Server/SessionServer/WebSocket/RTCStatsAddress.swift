// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import NIOHTTP1

/// The way of pages that have rtcstats-js into observed calls: a WebSocket, whose address has the participant's token.
///
/// rtcstats-js can bring a token in no other place. It may be seen in logs between here and the page, and opens nothing but its
/// participant's part of one call.
enum RTCStatsAddress {
    /// Where they begin.
    static let path = "/v1/rtcstats"
    /// What the page's WebSocket asks for; the numbers that stand for names are those of this version.
    private static let version = "rtcstats#5"
    private static let protocolField = "Sec-WebSocket-Protocol"

    /// Whether a request asks for a version that is understood, or for none in particular.
    static func speaks(_ head: HTTPRequestHead) -> Bool {
        let asked = head.headers[canonicalForm: protocolField]
        return asked.isEmpty || protocolName(head) != nil
    }

    /// What the answer to a request has: browsers want the protocol that they asked for.
    static func answer(to head: HTTPRequestHead) -> HTTPHeaders {
        protocolName(head).map { [protocolField: $0] } ?? [:]
    }

    private static func protocolName(_ head: HTTPRequestHead) -> String? {
        head.headers[canonicalForm: protocolField].map(String.init).first {
            $0 == version || $0.hasPrefix("\(version).")
        }
    }

    /// The token in a request's address; `nil` if it has none.
    static func token(_ head: HTTPRequestHead) -> String? {
        URLComponents(string: head.uri)?.queryItems?.first {
            $0.name == APIParameter.Name.rtcstatsToken.rawValue
        }?.value
    }
}
