// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The samples of a store that logs first: those that are in its log, and in no ``SampleChunk`` yet.
///
/// Pure. Samples are put by flow, observer and minute. A minute is taken out once it is over, or its first sample has been
/// waiting for ``longestWait``, whatever times the samples say; what comes for it later makes it once more, for whoever has
/// the chunk to merge. It can be read until what was taken is done, or put back. What comes twice within ``memory`` counts once.
package struct OpenMinutes: Sendable {
    /// One minute of one flow as one observer measured it.
    package struct Key: Sendable, Hashable {
        /// The store's number for it.
        package var flow: Int64
        /// Who measured.
        package var observer: Observer
        /// Since 1970.
        package var minute: Int64

        /// Names one.
        package init(flow: Int64, observer: Observer, minute: Int64) {
            self.flow = flow
            self.observer = observer
            self.minute = minute
        }
    }

    /// A minute that was taken out, with its samples in the order in which they came.
    package struct Minute: Sendable, Equatable {
        /// Which one.
        package var key: Key
        /// At most ``SampleChunk/limit``.
        package var samples: [ChunkSample]
        /// The place in the log of the first.
        fileprivate var position: Int64
    }

    /// What happened to a sample.
    package enum Result: Sendable, Equatable {
        /// It is here now.
        case added
        /// It was there.
        case duplicate
        /// There is no room for it.
        case full
    }

    /// How long a minute waits at most from its first sample on, ms.
    package static let longestWait: Int64 = 120_000
    /// For how long a sample that comes again is known, ms: clients send for two minutes what was not acknowledged.
    package static let memory: Int64 = 300_000

    private struct Open: Sendable {
        var samples: [ChunkSample] = []
        /// When the first came, Unix ms.
        var since: Int64
        var position: Int64
    }

    private struct Mark: Sendable, Hashable {
        var capturedAt: Int64
        var event: Int64
    }

    /// Most samples, those that were taken out among them.
    private let capacity: Int
    /// Most marks: of what is here, and as many of what is not any more.
    private let markLimit: Int
    private var open: [Key: Open] = [:]
    private var taken: [Key: Minute] = [:]
    /// When each came, Unix ms.
    private var marks: [Mark: Int64] = [:]
    /// When marks were last looked through, Unix ms.
    private var forgottenAt = Int64.min
    /// Samples, those that were taken out and are not done among them.
    package private(set) var count = 0

    /// None yet.
    ///
    /// - Parameter capacity: Most samples.
    package init(capacity: Int) {
        self.capacity = capacity
        markLimit = 2 * min(max(0, capacity), .max / 2)
    }

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - event: What distinguishes it from others of its moment, see ``EventMark/event``.
    ///   - position: Its place in the log, which nothing after it comes before.
    package mutating func add(
        _ sample: ChunkSample, flow: Int64, observer: Observer, event: Int64, position: Int64
    ) -> Result {
        // Not for each of a flood.
        if marks.count >= markLimit, sample.receivedAt != forgottenAt { forget(at: sample.receivedAt) }
        let result = result(of: sample, flow: flow, observer: observer, event: event)
        guard result == .added else { return result }
        let key = Key(flow: flow, observer: observer, minute: sample.time.unixMinute)
        marks[Mark(capturedAt: sample.capturedAt, event: event)] = sample.receivedAt
        open[key, default: Open(since: sample.receivedAt, position: position)].samples.append(sample)
        count += 1
        return .added
    }

    /// What ``add(_:flow:observer:event:position:)`` would make of a sample.
    ///
    /// - Parameter others: Samples of the same flow, observer and minute that will be there before it.
    package func result(
        of sample: ChunkSample, flow: Int64, observer: Observer, event: Int64, after others: Int = 0
    ) -> Result {
        let mark = Mark(capturedAt: sample.capturedAt, event: event)
        if let last = marks[mark], sample.receivedAt &- last <= Self.memory { return .duplicate }
        let key = Key(flow: flow, observer: observer, minute: sample.time.unixMinute)
        guard count < capacity, (open[key]?.samples.count ?? 0) + others < SampleChunk.limit,
            // Without room for its mark it could count twice.
            marks.count < markLimit
        else { return .full }
        return .added
    }

    /// Remembers a sample that is stored already, so that it counts once if it comes again.
    package mutating func remember(capturedAt: Int64, event: Int64, receivedAt: Int64) {
        guard marks.count < markLimit else { return }
        marks[Mark(capturedAt: capturedAt, event: event)] = receivedAt
    }

    /// Whether there is room for that number of samples more, with their marks.
    package func hasRoom(for more: Int) -> Bool {
        count + more <= capacity && marks.count + more <= markLimit
    }

    /// Takes out the minutes that are over, or have been waiting for long; none while there are some that are not done.
    ///
    /// - Parameter now: Unix ms; what may still be on its way, such as 15 s, already taken off.
    package mutating func take(now: Int64) -> [Minute] {
        forget(at: now)
        guard taken.isEmpty else { return [] }
        let current = now.unixMinute
        for (key, minute) in open where key.minute < current || now &- minute.since >= Self.longestWait {
            taken[key] = Minute(key: key, samples: minute.samples, position: minute.position)
            open[key] = nil
        }
        return Self.sorted(taken)
    }

    /// Takes out every minute, such as at the end; none while there are some that are not done.
    package mutating func takeAll() -> [Minute] {
        guard taken.isEmpty else { return [] }
        for (key, minute) in open {
            taken[key] = Minute(key: key, samples: minute.samples, position: minute.position)
        }
        open = [:]
        return Self.sorted(taken)
    }

    private static func sorted(_ minutes: [Key: Minute]) -> [Minute] {
        minutes.values.sorted { left, right in
            (left.position, left.key.flow, left.key.observer.rawValue, left.key.minute)
                < (right.position, right.key.flow, right.key.observer.rawValue, right.key.minute)
        }
    }

    /// What was taken out is in chunks.
    package mutating func finish() {
        count -= taken.values.reduce(0) { $0 + $1.samples.count }
        taken = [:]
    }

    /// Forgets all samples that are here, since someone else has stored them; those that come again are known all the same.
    package mutating func removeAll() {
        (open, taken) = ([:], [:])
        count = 0
    }

    /// What was taken out could not be made chunks of: it is as if it had not been.
    package mutating func putBack() {
        for (key, minute) in taken {
            let later = open[key]?.samples ?? []
            // More than a chunk holds only if as many came again meanwhile.
            let samples = minute.samples + later.prefix(SampleChunk.limit - minute.samples.count)
            count -= minute.samples.count + later.count - samples.count
            open[key] = Open(
                samples: samples, since: minute.samples.first?.receivedAt ?? 0, position: minute.position)
        }
        taken = [:]
    }

    /// The first place in the log that is still needed: of the samples that are in no chunk; `nil` if all are.
    package var lowWater: Int64? {
        (open.values.map(\.position) + taken.values.map(\.position)).min()
    }

    /// The first place in the log that will be needed once what was taken out is done; `nil` if none is.
    package var lowWaterOfOpen: Int64? { open.values.map(\.position).min() }

    /// The minutes that are in no chunk yet.
    ///
    /// - Parameters:
    ///   - isWanted: Which flows.
    ///   - includesTaken: Whether what was taken out is among them; a minute of which some was comes twice then.
    package func minutes(includesTaken: Bool, where isWanted: (Int64) -> Bool) -> [Minute] {
        let rest = open.filter { isWanted($0.key.flow) }
            .map { Minute(key: $0.key, samples: $0.value.samples, position: $0.value.position) }
        return includesTaken ? rest + taken.values.filter { isWanted($0.key.flow) } : rest
    }

    /// The samples of a flow that are in no chunk yet, in the order in which they came.
    package func samples(of flow: Int64, observer: Observer) -> [ChunkSample] {
        let minutes =
            taken.values.filter { $0.key.flow == flow && $0.key.observer == observer }.map(\.samples)
            + open.filter { $0.key.flow == flow && $0.key.observer == observer }.map(\.value.samples)
        return minutes.joined().sorted { $0.receivedAt < $1.receivedAt }
    }

    /// Forgets a flow, such as that of someone whose data is deleted.
    package mutating func remove(flow: Int64) {
        for (key, minute) in open where key.flow == flow {
            count -= minute.samples.count
            open[key] = nil
        }
        for (key, minute) in taken where key.flow == flow {
            count -= minute.samples.count
            taken[key] = nil
        }
    }

    private mutating func forget(at now: Int64) {
        marks = marks.filter { now &- $0.value <= Self.memory }
        forgottenAt = now
    }
}
