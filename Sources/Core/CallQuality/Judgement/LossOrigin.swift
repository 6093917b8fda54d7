// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Tells which of the streams that come over one path were lossy before they came to it.
///
/// A path loses packets of all streams alike. Where some streams lose packets and others of their kind hardly any, though as many
/// of them came, the server that passes them on did not get them either: their publishers' uplinks lost them.
struct LossOrigin: Sendable {
    /// The losses of one stream.
    private struct Stream {
        var tally = LossTally()
        var bytes = 0.0
        var packets = 0.0
        /// Mean size of its packets, in bytes: a path may drop large ones alone.
        var size: Double { bytes / max(packets, 1) }
        /// Reports with losses.
        var reports = 0
        var lastLoss = -Double.infinity
        /// Between two reports with losses, in ms.
        var longestPause = 0.0
        /// For how long nothing at all came through, if its losses were bursts, in ms.
        var lostTime = 0.0
        /// Whether its losses are no burst that others may have escaped, of which a given number of packets was expected.
        func isLasting(beside usual: Double) -> Bool {
            reports >= LossOrigin.reports
                || lostTime >= LossOrigin.burst && tally.lost >= LossOrigin.fewestLost
                    && tally.expected >= LossOrigin.likeRate * usual
        }

        mutating func add(_ sample: Sample) {
            let loss = sample.loss
            bytes += sample.bytes
            packets += sample.packets
            tally = tally + loss.tally
            guard loss.lost > 0 else { return }
            if reports > 0 {
                // What lies between two reports of many seconds is hardly more than between two of one.
                let more = max(0, loss.to - loss.from - 1000)
                longestPause = max(longestPause, loss.to - lastLoss - more)
            }
            lostTime += (loss.tally.fraction ?? 0) * (loss.to - loss.from)
            reports += 1
            lastLoss = loss.to
        }
    }

    private struct Sample {
        var key: UInt64
        var kind: MediaKind
        var loss: LossSample
        var bytes: Double
        var packets: Double
    }

    private var samples: [Sample] = []
    /// Share of lost packets of each stream that was lossy before, by its key.
    private(set) var lossy: [UInt64: Double] = [:]

    /// Time over which losses are compared, in ms, and at least how many reports.
    private static let window = 10_000.0
    private static let windowReports = 2.5
    /// Most streams that are compared.
    private static let most = 64
    /// Share of its packets from which on a stream is lossy.
    private static let least = 0.01
    /// Losses that the others of the kind would have had, and the share of them that they may have had.
    private static let expected = 10.0
    private static let spared = 0.1
    /// Share of the size of the lossy ones' packets that those of the others have to have.
    private static let likeSize = 0.6
    /// Reports with losses that a stream has to have, for one alone may be a burst that the others escaped.
    private static let reports = 3
    /// For how long none of the others escapes one, in ms, as packets of all streams alternate: of those that send half as many
    /// as is usual, and lose more of them than by chance.
    private static let burst = 500.0
    private static let likeRate = 0.5
    private static let fewestLost = 20.0
    /// How many times as long as before its losses have to stay away for a stream to be fine again, and ms at least.
    private static let holdFactor = 2.0
    private static let pause = 2_500.0

    /// Takes the losses of a tick.
    ///
    /// - Parameter isRouted: Whether a server passes the streams on: a peer's all come over one path.
    /// - Returns: Whether a stream is lossy now that was not before.
    mutating func handle(_ streams: [InboundDelta], isRouted: Bool, at time: Double) -> Bool {
        let new = streams.compactMap { stream -> Sample? in
            guard let loss = stream.loss, loss.expected > 0 else { return nil }
            return Sample(
                key: stream.key, kind: stream.kind, loss: loss, bytes: Double(stream.bytes?.amount ?? 0),
                packets: Double(stream.packets?.amount ?? 0))
        }
        let interval = new.lazy.map { $0.loss.to - $0.loss.from }.max() ?? 0
        samples.removeAll { $0.loss.to < time - max(Self.window, Self.windowReports * interval) }
        guard isRouted, streams.count > 2, new.count <= Self.most else {
            lossy = [:]
            return false
        }
        samples += new
        let before = lossy
        lossy = [:]
        for kind in MediaKind.allCases { compare(kind, at: time) }
        return lossy.keys.contains { before[$0] == nil }
    }

    private mutating func compare(_ kind: MediaKind, at time: Double) {
        var streams: [UInt64: Stream] = [:]
        for sample in samples where sample.kind == kind {
            streams[sample.key, default: Stream()].add(sample)
        }
        let counts = streams.values.map(\.tally.expected).sorted()
        let usual = counts.isEmpty ? 0 : counts[counts.count / 2]
        let bad = streams.filter {
            $0.value.tally.fraction ?? 0 >= Self.least && $0.value.isLasting(beside: usual)
        }
        guard let size = bad.values.map(\.size).max() else { return }
        let lost = bad.reduce(LossTally()) { $0 + $1.value.tally }
        let others = streams.filter { bad[$0.key] == nil && $0.value.size >= Self.likeSize * size }
            .reduce(LossTally()) { $0 + $1.value.tally }
        let due = (lost.fraction ?? 0) * others.expected
        guard due >= Self.expected, others.lost <= Self.spared * due else { return }
        for (key, stream) in bad {
            guard time - stream.lastLoss < max(Self.pause, Self.holdFactor * stream.longestPause) else {
                continue
            }
            lossy[key] = stream.tally.fraction
        }
    }
}
