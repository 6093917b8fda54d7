// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import MediaPolicy

/// Error of the router's engine.
struct RouterEngineError: Error, Equatable {
    /// The kinds that a caller reacts to differently.
    enum Kind: Equatable {
        /// The session description or candidate could not be read.
        case malformed
        /// It asks for something that the router does not do, for instance another codec.
        case unsupported
        /// No such leg or stream, or not in this state.
        case invalidState
        /// The leg went away first, or the engine cannot negotiate it any more: it broke off in the middle of an offer.
        case closed
        /// Too many at once.
        case overloaded
        /// Anything else.
        case `internal`
    }

    let kind: Kind
    let message: String

    init(_ error: sl_error) {
        kind = Self.kind(of: Int(error.status))
        message = withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func kind(of status: Int) -> Kind {
        switch status {
        case SL_SYNTAX: .malformed
        case SL_UNSUPPORTED: .unsupported
        case SL_INVALID_STATE, SL_INVALID_ARGUMENT: .invalidState
        case SL_CLOSED: .closed
        case SL_RESOURCE: .overloaded
        default: .internal
        }
    }
}
