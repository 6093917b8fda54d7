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
}
