// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

/// One message for many clients.
struct Broadcast: Sendable, Equatable {
    /// Whom it is for.
    struct Recipient: Sendable, Equatable {
        var socket: SocketID
        /// The message's number among those to this client; `nil` for clients that are not resumable.
        var number: Int?
    }

    /// Without a number.
    var message: ServerMessage
    var recipients: [Recipient]

    /// What each recipient is sent; the message is written as JSON once.
    func encoded(
        by encode: (ServerMessage) throws -> [UInt8] = { try $0.json() }
    ) rethrows -> [(socket: SocketID, json: [UInt8])] {
        let json = try encode(message)
        return recipients.map { recipient in
            (recipient.socket, recipient.number.map { ServerMessage.numbered(json, $0) } ?? json)
        }
    }
}
