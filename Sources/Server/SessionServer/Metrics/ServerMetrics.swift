// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import Foundation
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

    /// A sustained issue that is not over.
    struct ActiveAlert: Hashable, Sendable {
        var side: NetworkDegradationSource
        /// The worst so far.
        var condition: NetworkCondition
        /// By the clock of commits.
        fileprivate var heardAt: Duration
    }

    struct AlertKind: Hashable, Sendable {
        var side: NetworkDegradationSource
        var reason: NetworkReason
    }

    /// What is the same of an alert as long as it lasts.
    struct AlertKey: Hashable, Sendable {
        var flow: FlowDescription
        var side: NetworkDegradationSource
        var observer: Observer
    }

    struct Figures: Sendable {
        var samples: [SampleKind: UInt64] = [:]
        /// By name; zero from the start, as ``CallFigures/timeToMedia`` is empty.
        var warnings = Dictionary(uniqueKeysWithValues: (known + [other]).map { ($0, UInt64(0)) })
        var requests: [RequestKind: Histogram] = [:]
        var alerts: [AlertKey: ActiveAlert] = [:]
        var begunAlerts: [AlertKind: UInt64] = [:]
        var calls = CallFigures()

        /// Warnings of this version.
        private static let known = CallQualityWarning.Kind.allCases.map(\.rawValue)
        /// What stands for those of clients that this version does not know.
        fileprivate static let other = "other"
    }

    private struct State {
        var figures = Figures()
        var meter = CallMeter()
        var lastCommit: ContinuousClock.Instant?
        /// The time in which there were commits: in an outage nothing is heard, and nothing is silent.
        var commitTime: Duration = .zero

        mutating func advanceCommitTime(to now: ContinuousClock.Instant) {
            let pause = now - (lastCommit ?? now)
            if pause <= ServerMetrics.silence / 2 { commitTime += pause }
            lastCommit = now
        }
    }

    /// Upper bounds of the time that a request takes, seconds.
    private static let requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

    /// How long nothing is heard of an alert until it counts as over: that of a flow that is deleted ends without a word.
    static let silence = AlertGroups.silence

    /// When counting began, Unix ms.
    let startedAt = Date().unixTime
    private let state = Mutex(State())
    /// All figures.
    var figures: Figures {
        state.withLock { state in
            var figures = state.figures
            figures.calls = state.meter.figures
            return figures
        }
    }

    /// Counts what is to be stored.
    func count(_ records: [StoreRecord]) {
        state.withLock { state in
            for record in records {
                state.meter.count(record)
                switch record {
                case .sample(let sample):
                    let condition = sample.sample.networkCondition ?? .unknown
                    let kind = SampleKind(observer: sample.observer.name, condition: condition.name)
                    state.figures.samples[kind, default: 0] += 1
                case .event(let event) where event.type == "callQuality" && event.isAlarm:
                    let name = event.detail["reason"] ?? Figures.other
                    let isKnown = state.figures.warnings[name] != nil
                    state.figures.warnings[isKnown ? name : Figures.other, default: 0] += 1
                default: break
                }
            }
        }
    }

    /// Counts an answered request; `path` is its route's, not its own.
    func count(_ request: RequestKind, seconds: Double) {
        state.withLock { $0.figures.requests[request, default: Histogram(Self.requestBounds)].add(seconds) }
    }

    /// Notes alerts that began, grew or ended with a commit, of which each is noted: while there is none, nothing is over.
    func note(_ changes: [AlertChange], at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            state.advanceCommitTime(to: now)
            let time = state.commitTime
            for change in changes {
                let alert = change.alert
                let key = AlertKey(flow: alert.flow, side: alert.side, observer: alert.observer)
                state.figures.alerts[key] =
                    alert.isOver
                    ? nil : ActiveAlert(side: alert.side, condition: alert.worst, heardAt: time)
                guard change.isNew else { continue }
                let kind = AlertKind(side: alert.side, reason: alert.reason ?? .unknown)
                state.figures.begunAlerts[kind, default: 0] += 1
            }
            state.figures.alerts = state.figures.alerts.filter { time - $0.value.heardAt < Self.silence }
        }
    }
}
