// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Synchronization

/// Watches a total that may only grow.
final class Totals: Sendable {
    private struct State {
        var values: [UInt64] = []
        var startTimes: Set<Double> = []
    }

    private let state = Mutex(State())

    func note(_ value: UInt64?, _ startTime: Double?) {
        state.withLock { state in
            if let value { state.values.append(value) }
            if let startTime { state.startTimes.insert(startTime) }
        }
    }

    var count: Int { state.withLock { $0.values.count } }
    var startTimes: Set<Double> { state.withLock { $0.startTimes } }
    var wentBack: Bool { state.withLock { zip($0.values, $0.values.dropFirst()).contains { $1 < $0 } } }
    var grew: Bool {
        state.withLock { state in
            let last = state.values.suffix(3)
            return (last.last ?? 0) > (last.first ?? 0)
        }
    }
}
