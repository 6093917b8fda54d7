// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import MediaEngine

/// What was being done when the engine failed; decides what a failure is called.
enum FailureContext {
    /// A call with plain arguments.
    case call
    /// A session description or candidate.
    case description
    /// A media file.
    case file
}

extension MediaEngineError {
    init(_ error: NativeError, for context: FailureContext) {
        self.init(Self.code(of: error.status, for: context), error.message)
    }

    private static func code(of status: sl_status, for context: FailureContext) -> Code {
        switch (Int(status), context) {
        case (SL_CLOSED, _): .closed
        case (SL_IO, _), (SL_SYNTAX, .file), (SL_UNSUPPORTED, .file), (SL_RESOURCE, .file): .invalidMedia
        case (SL_SYNTAX, _), (SL_INVALID_ARGUMENT, .description): .invalidDescription
        case (SL_UNSUPPORTED, .description): .invalidDescription
        case (SL_UNSUPPORTED, _): .unsupported
        case (SL_INVALID_ARGUMENT, _): .invalidArgument
        case (SL_INVALID_STATE, _), (SL_RESOURCE, _): .invalidState
        default: .internal
        }
    }
}

/// Runs `body` and gives its failure the name that users of a media engine know.
func mapError<Value>(
    for context: FailureContext, _ body: () throws(NativeError) -> Value
) throws(MediaEngineError) -> Value {
    do { return try body() } catch { throw MediaEngineError(error, for: context) }
}

/// The same for what takes time.
func mapError<Value: Sendable>(
    for context: FailureContext, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
) async throws -> Value {
    do { return try await body() } catch let error as NativeError {
        throw MediaEngineError(error, for: context)
    }
}
