// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import MediaPolicy

/// Carries a completion through a C callback's context pointer.
///
/// The library runs each callback exactly once, which balances the one retain.
final class EngineReply<Value>: Sendable {
    private let completion: @Sendable (Result<Value, RouterEngineError>) -> Void

    init(_ completion: @escaping @Sendable (Result<Value, RouterEngineError>) -> Void) {
        self.completion = completion
    }

    /// The context to hand over; retains the reply.
    var context: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    /// Takes the reply back out of its context and completes it with `error`, or else with `value`.
    static func finish(
        _ context: UnsafeMutableRawPointer?, _ error: UnsafePointer<sl_error>?, value: () -> Value
    ) {
        guard let context else { return }
        let reply = Unmanaged<EngineReply<Value>>.fromOpaque(context).takeRetainedValue()
        reply.completion(error.map { .failure(RouterEngineError($0.pointee)) } ?? .success(value()))
    }
}
