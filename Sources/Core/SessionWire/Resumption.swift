// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// How a session outlives its socket.
//
// A client that joins with `resumable` gets a ``Resumption``. From then on both sides number what they send
// (`seq`, from 1, each side its own), keep it until the other one has confirmed it, and take each
// number once. `join`, `joined`, `resume`, `resumed`, `ack` and `facts` carry no number: the first four make
// or remake the socket, the others make up for the loss of those before. What has arrived is confirmed by `received` of the
// next numbered message, or by `ack` where none is sent soon.
//
// When the socket is lost, the client opens another one and begins it with `resume` in place of `join`; both
// sides then send again what the other one has not got. A server that was started over does not know the
// client; it refuses with `unknownResumption`, and the client joins again on the same socket, with `restore`,
// and publishes again, with each stream's `restore`: its connection and its streams keep their ids.
//
// A server of a cluster that does not have the session refuses `join` with `elsewhere` and the address of the one
// that has it. The client says the same there; if that one cannot be reached, it asks again where it asked first.

/// What a client needs to resume after it has lost its socket.
package struct Resumption: Sendable, Equatable, Codable {
    /// Identifies the client; a secret between it and the server.
    package var token: String
    /// How long the server waits for the client to resume, seconds.
    package var seconds: Double

    /// Makes one.
    package init(token: String, seconds: Double) {
        self.token = token
        self.seconds = seconds
    }
}

/// How far the other side's messages have arrived.
package struct Acknowledgement: Sendable, Equatable, Codable {
    /// The number of the last one; 0 if there was none.
    package var received: Int

    /// How long a message that has arrived waits for another one that confirms it, before an `ack` does.
    ///
    /// Longer than the second after which there is telemetry again.
    package static let delay: Duration = .milliseconds(1500)
    /// Most messages that wait so.
    package static let mostWaiting = 16

    /// Confirms messages.
    package init(received: Int) { self.received = received }
}

extension ClientMessage {
    /// Resumes, on a new socket, a session that the client has joined on another one.
    ///
    /// The first message on its socket. Refused with `unknownResumption` by a server that was started over,
    /// and with `resumptionOver` if the client came too late or too much was lost.
    package struct Resume: Sendable, Equatable, Codable {
        /// The ``SessionProtocol/version`` that the client speaks.
        package var version: Int
        /// ``Resumption/token``.
        package var token: String
        /// The number of the last message of the server that has arrived; 0 if none has.
        package var received: Int

        /// Creates a request.
        package init(version: Int = SessionProtocol.version, token: String, received: Int) {
            self.version = version
            self.token = token
            self.received = received
        }
    }

    /// Whether a resumable client numbers it.
    package var isNumbered: Bool {
        switch body {
        case .join, .resume, .ack: false
        default: true
        }
    }
}

extension ServerMessage {
    /// Whether it is numbered for a resumable client.
    package var isNumbered: Bool {
        switch body {
        case .joined, .resumed, .ack, .facts: false
        default: true
        }
    }
}
