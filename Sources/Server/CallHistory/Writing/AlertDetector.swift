// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Finds sustained issues: three or more samples in a row whose condition is warning or critical.
///
/// Pure. Each flow, observer and side has a run of its own. A sample whose condition is unknown or absent
/// neither continues with a run nor ends it; a gap of more than ``maximumGap`` ends it, and a sample that is
/// older than the run's last one arrived too late to count. Samples that were held up together on their way
/// may be of one time, but a run is no issue before ``minimumSpan`` has passed in it.
package struct AlertDetector: Sendable {
    /// Samples that make an alert.
    package static let minimumSamples = 3
    /// Between two samples in a row, ms.
    package static let maximumGap: Int64 = 5000
    /// From the first to the last sample of an alert, ms: a client's backlog sent at once is no sustained
    /// problem.
    package static let minimumSpan: Int64 = 1000
    /// How late a sample may be, ms; one that is older comes from a clock that was put back.
    package static let maximumDelay: Int64 = 60_000

    /// Where there can be an alert.
    package struct Key: Hashable, Sendable {
        /// The store's number for it.
        package var flow: Int64
        /// Who measures.
        package var observer: Observer
        /// Whose path it is, `local` or `remote`.
        package var side: NetworkDegradationSource

        /// Names one.
        package init(flow: Int64, observer: Observer, side: NetworkDegradationSource) {
            self.flow = flow
            self.observer = observer
            self.side = side
        }
    }

    /// One reading at a side.
    package struct ConditionReading: Sendable {
        /// Unix ms.
        package var time: Int64
        /// `nil` if absent.
        package var condition: NetworkCondition?
        /// `nil` if none is known.
        package var reason: NetworkReason?
        /// The side to blame; `nil` if none is known.
        package var source: NetworkDegradationSource?

        /// Describes one.
        package init(
            time: Int64, condition: NetworkCondition?, reason: NetworkReason? = nil,
            source: NetworkDegradationSource? = nil
        ) {
            self.time = time
            self.condition = condition
            self.reason = reason
            self.source = source
        }
    }

    /// Samples in a row that are bad.
    package struct Run: Sendable, Equatable {
        /// Time of the first sample, Unix ms.
        package var firstAt: Int64
        /// Time of the last sample so far, Unix ms.
        package var lastAt: Int64
        /// Samples so far.
        package var samples = 0
        /// The worst condition so far.
        package var worst: NetworkCondition
        /// Whether it has been among the changes.
        package fileprivate(set) var isReported = false
        /// Whether nothing is said of it, for too much has been.
        fileprivate var isMuted = false
        private var reasons: [NetworkReason: Int] = [:]
        private var sources: [NetworkDegradationSource: Int] = [:]

        /// The most frequent reason of the condition.
        package var reason: NetworkReason? { Self.most(reasons) }
        /// The side blamed most often.
        package var source: NetworkDegradationSource? { Self.most(sources) }

        /// Whether it is an alert.
        package var isSustained: Bool {
            samples >= AlertDetector.minimumSamples && lastAt - firstAt >= AlertDetector.minimumSpan
        }

        init(firstAt: Int64, condition: NetworkCondition) {
            self.firstAt = firstAt
            lastAt = firstAt
            worst = condition
        }

        mutating func add(_ reading: ConditionReading, condition: NetworkCondition) {
            lastAt = reading.time
            samples += 1
            worst = min(worst, condition)
            if let reason = reading.reason { reasons[reason, default: 0] += 1 }
            if let source = reading.source { sources[source, default: 0] += 1 }
        }

        /// Of words as frequent as each other the first of the vocabulary.
        private static func most<Word: VocabularyWord>(_ counts: [Word: Int]) -> Word? {
            counts.max { ($0.value, $1.key.code) < ($1.value, $0.key.code) }?.key
        }
    }

    private var runs: [Key: Run] = [:]
    /// Alerts that are not over and have changed since ``takeChanges()``.
    private var changed: Set<Key> = []
    private var over: [(Key, Run)] = []

    /// Nothing has been measured yet.
    package init() {}

    /// Handles a sample's reading of one side.
    package mutating func take(_ key: Key, _ reading: ConditionReading) {
        if let run = runs[key], !(-Self.maximumDelay...Self.maximumGap).contains(reading.time - run.lastAt) {
            end(key, run)
        }
        guard let condition = reading.condition, condition != .unknown else { return }
        let run = runs[key]
        guard condition <= .warning else {
            if let run, reading.time >= run.lastAt { end(key, run) }
            return
        }
        if let run, reading.time < run.lastAt { return }
        var longer = run ?? Run(firstAt: reading.time, condition: condition)
        longer.add(reading, condition: condition)
        runs[key] = longer
        if longer.isSustained, !longer.isMuted { changed.insert(key) }
    }

    /// A flow has ended, and with it what is bad about it.
    package mutating func end(flow: Int64) {
        guard !runs.isEmpty else { return }
        for (key, run) in runs where key.flow == flow { end(key, run) }
    }

    /// Ends a run silently.
    package mutating func mute(_ change: Change) {
        // It may be over, and another one have begun.
        if runs[change.key]?.firstAt == change.run.firstAt { runs[change.key]?.isMuted = true }
    }

    /// The alerts that have begun, grown or ended since the last call.
    package mutating func takeChanges() -> [Change] {
        guard !changed.isEmpty || !over.isEmpty else { return [] }
        defer {
            changed.removeAll()
            over.removeAll()
        }
        let growing = changed.compactMap { key in runs[key].map { Change(key: key, run: $0, isOver: false) } }
        for change in growing { runs[change.key]?.isReported = true }
        return over.map { Change(key: $0.0, run: $0.1, isOver: true) }
            + growing.sorted { $0.run.firstAt < $1.run.firstAt }
    }

    /// An alert that has begun, grown or ended.
    package struct Change: Sendable {
        /// Where.
        package var key: Key
        /// Its samples.
        package var run: Run
        /// Whether it has ended.
        package var isOver: Bool
    }

    private mutating func end(_ key: Key, _ run: Run) {
        runs[key] = nil
        changed.remove(key)
        if run.isSustained, !run.isMuted { over.append((key, run)) }
    }
}
