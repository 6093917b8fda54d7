// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallStore
import SessionWire
import Synchronization

/// Counters of a server, in addition to those of its parts.
final class ServerMetrics: Sendable {
    struct SampleKind: Hashable, Sendable {
        var observer: String
        var condition: String
    }

    struct RequestKind: Hashable, Sendable {
        var method: String
        var path: String
        var status: Int
    }

    /// Durations by their upper bounds.
    struct Histogram: Sendable {
        /// Seconds.
        static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
        /// Not cumulative; the last is for what is beyond every bound.
        var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        /// Seconds.
        var sum = 0.0

        mutating func add(_ seconds: Double) {
            counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            sum += seconds
        }
    }

    struct Figures: Sendable {
        var samples: [SampleKind: UInt64] = [:]
        var warnings: [String: UInt64] = [:]
        var requests: [RequestKind: Histogram] = [:]
    }

    private let state = Mutex(Figures())
    private static let warnings = Set(CallQualityWarning.Kind.allCases.map(\.rawValue))

    /// All figures.
    var figures: Figures { state.withLock { $0 } }

    /// Counts what is to be stored.
    func count(_ records: [StoreRecord]) {
        state.withLock { state in
            for record in records {
                switch record {
                case .sample(let sample):
                    let condition = sample.sample.networkCondition ?? .unknown
                    let kind = SampleKind(observer: sample.observer.name, condition: condition.name)
                    state.samples[kind, default: 0] += 1
                case .event(let event) where event.type == "callQuality" && event.isAlarm:
                    let name = event.detail["reason"] ?? "unknown"
                    state.warnings[Self.warnings.contains(name) ? name : "other", default: 0] += 1
                default: break
                }
            }
        }
    }

    /// Counts an answered request; `path` is its route's, not its own.
    func count(_ request: RequestKind, seconds: Double) {
        state.withLock { $0.requests[request, default: .init()].add(seconds) }
    }
}
