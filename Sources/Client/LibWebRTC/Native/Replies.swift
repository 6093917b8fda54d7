// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import WebRTCStats

/// Carries a continuation through a C callback's context pointer.
///
/// The library runs each callback exactly once, which balances the one retain.
final class Reply<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, any Error>

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = continuation
    }

    /// The context to hand over; retains the reply.
    var context: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    /// Takes the reply back out of its context and answers it.
    static func finish(_ context: UnsafeMutableRawPointer?, _ result: Result<Value, any Error>) {
        guard let context else { return }
        let reply = Unmanaged<Reply<Value>>.fromOpaque(context).takeRetainedValue()
        reply.continuation.resume(with: result)
    }

    /// Awaits what `start` sets off; `start` gets the context for its C callback.
    static func await(_ start: (UnsafeMutableRawPointer) -> Void) async throws -> Value {
        try await withCheckedThrowingContinuation { start(Reply($0).context) }
    }
}

/// A session description as the C ABI has it.
struct NativeDescription: Sendable {
    let type: Int32
    let sdp: String
}

/// A report in transit to its owner.
struct StatsReportHandle {
    let raw: OpaquePointer
}

// Sendable because it only carries a pointer to what the C ABI lets any thread read.
extension StatsReportHandle: @unchecked Sendable {}

typealias DoneReply = Reply<Void>
typealias DescriptionReply = Reply<NativeDescription>
typealias StatsReply = Reply<StatsReportHandle>

extension Reply where Value == Void {
    static var callback: sl_done_fn {
        { context, error in
            DoneReply.finish(context, NativeError(error).map { .failure($0) } ?? .success(()))
        }
    }
}

extension Reply where Value == NativeDescription {
    static var callback: sl_description_fn {
        { context, error, type, sdp in
            if let error = NativeError(error) { return DescriptionReply.finish(context, .failure(error)) }
            let text = sdp.map { String(cString: $0) } ?? ""
            DescriptionReply.finish(context, .success(NativeDescription(type: type, sdp: text)))
        }
    }
}

extension Reply where Value == StatsReportHandle {
    static var callback: sl_stats_fn {
        { context, error, report in
            if let report { return StatsReply.finish(context, .success(StatsReportHandle(raw: report))) }
            let reason = NativeError(error) ?? NativeError(SL_INTERNAL, "no report")
            StatsReply.finish(context, .failure(reason))
        }
    }
}
