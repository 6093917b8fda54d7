// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How often and how soon a lost leg is brought back.
struct RecoveryPlan: Sendable, Equatable {
    /// Waits before the first, second, … attempt; as many attempts as there are waits.
    var waits: [Duration] = [.zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)]
    private(set) var attempts = 0

    /// For ICE restarts, which may be all that a long outage needs.
    static let restarts = RecoveryPlan(
        waits: [.zero, .seconds(1), .seconds(2)] + Array(repeating: .seconds(4), count: 6))

    init(waits: [Duration]? = nil) {
        if let waits { self.waits = waits }
    }

    /// Whether there is no attempt left.
    var isExhausted: Bool { attempts >= waits.count }

    /// The wait before the next attempt; `nil` when there is none left.
    mutating func next() -> Duration? {
        guard attempts < waits.count else { return nil }
        defer { attempts += 1 }
        return waits[attempts]
    }

    /// Does something, as often as it takes and there are attempts, whenever the server can be reached.
    ///
    /// - Throws: What the last attempt threw.
    func attempt<Value: Sendable>(
        _ clock: SessionClock, _ signaling: any MediaSignaling, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        var plan = self
        var failure: any Error = CancellationError()
        while let wait = plan.next() {
            do {
                try await clock.sleep(for: wait)
                try await signaling.reachable()
                return try await body()
            } catch {
                failure = error
                if !Self.isWorthRetrying(SightlineError(cause: error)) { break }
            }
        }
        throw failure
    }

    /// Whether another attempt makes sense after this failure.
    static func isWorthRetrying(_ error: SightlineError) -> Bool {
        switch error.code {
        case .forbidden, .unknownStream, .unsupportedMedia, .notConnected, .connectionLost, .connectionEnded,
            .cancelled, .protocolViolation:
            false
        default: true
        }
    }
}
