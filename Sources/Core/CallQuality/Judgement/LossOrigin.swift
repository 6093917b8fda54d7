// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Tells which of the streams that come over one path were lossy before they came to it.
///
/// A path loses packets of all streams alike. Where some streams lose packets and others of their kind none, though as many
/// of them came, the server that passes them on did not get them either: their publishers' uplinks lost them.
struct LossOrigin: Sendable {
    /// The losses of one stream.
    private struct Stream {
        var tally = LossTally()
        /// Reports with losses.
        var reports = 0
        var lastLoss = -Double.infinity
        /// Between two reports with losses, in ms.
        var longestPause = 0.0

        mutating func add(_ loss: LossSample) {
            tally = tally + loss.tally
            guard loss.lost > 0 else { return }
            if reports > 0 { longestPause = max(longestPause, loss.to - lastLoss) }
            reports += 1
            lastLoss = loss.to
        }
    }

    private var samples: [(key: UInt64, kind: MediaKind, loss: LossSample)] = []
    /// Share of lost packets of each stream that was lossy before, by its key.
    private(set) var lossy: [UInt64: Double] = [:]

    /// Time over which losses are compared, in ms.
    private static let window = 10_000.0
    /// Most streams that are compared.
    private static let most = 64
    /// Share of its packets from which on a stream is lossy.
    private static let least = 0.01
    /// Losses that the others of the kind would have had, and the share of them that they may have had.
    private static let expected = 10.0
    private static let spared = 0.1
    /// Reports with losses that a stream has to have: one alone may be a burst that the others escaped.
    private static let reports = 3
    /// How many times as long as before its losses have to stay away for a stream to be fine again, and ms at least.
    private static let patience = 2.0
    private static let pause = 2_500.0

    /// Takes the losses of a tick.
    ///
    /// - Returns: Whether a stream is lossy now that was not before.
    mutating func handle(_ streams: [InboundDelta], at time: Double) -> Bool {
        samples.removeAll { $0.loss.to < time - Self.window }
        // Of a peer's audio and video, and of two peers, no others show what the path does.
        guard streams.count > 2, streams.count <= Self.most else {
            lossy = [:]
            return false
        }
        for stream in streams {
            if let loss = stream.loss, loss.expected > 0 { samples.append((stream.key, stream.kind, loss)) }
        }
        let before = lossy
        lossy = [:]
        for kind in MediaKind.allCases { compare(kind, at: time) }
        return lossy.keys.contains { before[$0] == nil }
    }

    private mutating func compare(_ kind: MediaKind, at time: Double) {
        var streams: [UInt64: Stream] = [:]
        for sample in samples where sample.kind == kind {
            streams[sample.key, default: Stream()].add(sample.loss)
        }
        let bad = streams.filter { $0.value.tally.fraction ?? 0 >= Self.least }
        guard !bad.isEmpty, bad.allSatisfy({ $0.value.reports >= Self.reports }) else { return }
        let lost = bad.reduce(LossTally()) { $0 + $1.value.tally }
        let others = streams.reduce(LossTally()) { bad[$1.key] == nil ? $0 + $1.value.tally : $0 }
        let due = (lost.fraction ?? 0) * others.expected
        guard due >= Self.expected, others.lost <= Self.spared * due else { return }
        for (key, stream) in bad {
            guard time - stream.lastLoss < max(Self.pause, Self.patience * stream.longestPause) else {
                continue
            }
            lossy[key] = stream.tally.fraction
        }
    }
}
