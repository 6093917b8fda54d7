// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How often and how soon a lost leg is brought back.
struct RecoveryPlan: Sendable, Equatable {
    /// Waits before the first, second, … attempt; as many attempts as there are waits.
    var waits: [Duration] = [.zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)]
    private(set) var attempts = 0

    /// The wait before the next attempt; `nil` when there is none left.
    mutating func next() -> Duration? {
        guard attempts < waits.count else { return nil }
        defer { attempts += 1 }
        return waits[attempts]
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
