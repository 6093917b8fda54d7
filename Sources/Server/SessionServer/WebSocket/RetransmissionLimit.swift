// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore

/// Has TCP send again within a second what a line that media fill has lost.
///
/// It doubles its wait with each loss, to two minutes. Media that share a narrow line with signaling lose much of it for as long as
/// they adapt; the words that would relieve the line then come seconds after it is free. What is sent so is a packet a second.
///
/// Linux knows the option from 6.15 on; elsewhere, and behind a proxy, whose socket it would be, nothing changes.
enum RetransmissionLimit {
    #if os(Linux)
    /// `TCP_RTO_MAX_MS` and `TCP_USER_TIMEOUT`, which the C library need not know yet.
    private static let longestTimeout = NIOBSDSocket.Option(rawValue: 44)
    private static let userTimeout = NIOBSDSocket.Option(rawValue: 18)
    /// The least that the kernel takes, in ms.
    private static let longest: CInt = 1000
    /// How long what was sent may be without an answer, in ms.
    ///
    /// By the number of repetitions a quarter of a minute would be the end. Pings find out sooner that a client is gone.
    private static let patience: CInt = 120_000

    /// Sets it; without an effect where the system has no such option.
    static func set(on channel: any Channel) {
        guard let socket = channel as? any SocketOptionProvider else { return }
        socket.unsafeSetSocketOption(level: .tcp, name: longestTimeout, value: longest).whenSuccess {
            socket.unsafeSetSocketOption(level: .tcp, name: userTimeout, value: patience)
                .whenFailure { _ in }
        }
    }
    #else
    static func set(on channel: any Channel) {}
    #endif
}
