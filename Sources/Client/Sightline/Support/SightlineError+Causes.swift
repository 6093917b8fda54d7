// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import SessionWire

extension SightlineError {
    /// The server's refusal in the SDK's words.
    init(_ refusal: ServerError) {
        self.init(Self.codes[refusal.code] ?? .server, refusal.message)
    }

    /// Whatever was thrown, as an error of ours.
    init(cause: any Error) {
        switch cause {
        case let error as SightlineError: self = error
        case let error as ServerError: self.init(error)
        case let error as MediaEngineError where error.code == .unsupported:
            self.init(.unsupported, error.message)
        case let error as MediaEngineError: self.init(.mediaEngine, error.description)
        case is CancellationError: self.init(.cancelled, "the call was cancelled")
        default: self.init(.connectionFailed, "\(cause)")
        }
    }

    private static let codes: [ServerError.Code: Code] = [
        .malformed: .protocolViolation, .tooLarge: .protocolViolation, .duplicateId: .protocolViolation,
        .unsupportedVersion: .unsupportedVersion, .invalidToken: .invalidToken, .expiredToken: .expiredToken,
        .unknownSession: .unknownSession, .unknownResumption: .serverRestarted,
        .resumptionOver: .connectionOver, .forbidden: .forbidden, .notJoined: .notConnected,
        .unknownLeg: .mediaLost, .unknownStream: .unknownStream, .unknownConnection: .unknownConnection,
        .unsupportedMedia: .unsupportedMedia,
        .tooMany: .tooMany, .elsewhere: .connectionFailed, .routerUnavailable: .routerUnavailable,
        .internal: .server,
    ]
}
