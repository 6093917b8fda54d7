// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// One message for many clients.
package struct Broadcast: Sendable, Equatable {
    /// Whom it is for.
    package struct Recipient: Sendable, Equatable {
        package var socket: SocketID
        /// The message's number among those to this client; `nil` for clients that are not resumable.
        package var number: Int?
    }

    /// Without a number.
    package var message: ServerMessage
    package var recipients: [Recipient]

    /// What each recipient is sent; the message is written as JSON once.
    package func encoded(
        by encode: (ServerMessage) throws -> [UInt8] = { try $0.json() }
    ) rethrows -> [(socket: SocketID, json: [UInt8])] {
        let json = try encode(message)
        return recipients.map { recipient in
            (recipient.socket, recipient.number.map { ServerMessage.numbered(json, $0) } ?? json)
        }
    }
}
