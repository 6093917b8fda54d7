// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Carries a continuation through a C callback's context pointer.
///
/// The library runs each callback exactly once, which balances the one retain.
final class EngineReply<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, any Error>

    private init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = continuation
    }

    /// Awaits what `start` sets off; `start` gets the context for its callback.
    static func await(_ start: (UnsafeMutableRawPointer) -> Void) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            start(Unmanaged.passRetained(EngineReply(continuation)).toOpaque())
        }
    }

    /// Takes the reply back out of its context and answers it.
    static func finish(_ context: UnsafeMutableRawPointer?, _ result: Result<Value, any Error>) {
        guard let context else { return }
        Unmanaged<EngineReply<Value>>.fromOpaque(context).takeRetainedValue().continuation.resume(with: result)
    }
}
