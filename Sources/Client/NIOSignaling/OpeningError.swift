// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Sightline

/// Why a socket could not be opened.
enum OpeningError: Error {
    /// The server answered, but not with a WebSocket.
    case refused

    /// What is wrong, and what to do.
    static func explain(_ error: any Error, _ address: SignalingAddress) -> SightlineError {
        SightlineError(.connectionFailed, "\(reason(error, address)) (\(address))")
    }

    private static func reason(_ error: any Error, _ address: SignalingAddress) -> String {
        switch error {
        case Self.refused:
            return "the server opens no session socket at \(address.path): is it a session server?"
        case let error as NIOConnectionError: return reason(error, address)
        case let error as IOError: return reason(error, address)
        case ChannelError.connectTimeout:
            return "the server does not answer: is the address right, and no firewall in between?"
        case is ChannelError:
            return "the server closed the connection before it was open: is it a session server?"
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            return
                "no secure connection: does the server speak TLS, with a certificate trusted here? \(error)"
        default: return "the connection failed: \(error)"
        }
    }

    private static func reason(_ error: NIOConnectionError, _ address: SignalingAddress) -> String {
        if let failure = error.connectionErrors.last { return reason(failure.error, address) }
        return "\(address.host) is not known: is its name right?"
    }

    private static func reason(_ error: IOError, _ address: SignalingAddress) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "connection refused: is the server running there?"
        case ENETUNREACH, EHOSTUNREACH: "there is no way to the server: is the network up?"
        case ECONNRESET:
            "the server closed the connection at once: does it speak TLS, and the address says ws?"
        default: "the connection failed: \(error)"
        }
    }
}
#endif
