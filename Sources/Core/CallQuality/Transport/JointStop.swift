// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Notices that the media of several people stop at once, while the reports about them stay: the server between no longer
/// passes them on.
///
/// One who mutes, holds or leaves takes no one else along.
struct JointStop: Sendable {
    private var lastPackets: [UInt64: (kind: MediaKind, time: Double)] = [:]

    /// The time of the first report of those that had their last packets, in ms; `nil` unless they stopped at once.
    private(set) var since: Double?

    /// How far apart they may have stopped, in ms; audio of one who is silent comes rarely.
    private static let spread = 1000.0
    /// As many of a kind are several people: a peer has a camera and a screen, at most.
    private static let people = 3
    /// Most streams that are remembered.
    private static let most = 512

    /// Takes the received streams of a tick.
    mutating func handle(_ streams: [InboundDelta], at tick: Tick) {
        guard streams.count >= Self.people else {
            self = JointStop()
            return
        }
        forgetOthers(than: streams)
        var isStopped = true
        for stream in streams {
            guard stream.packets?.amount ?? 0 > 0 || stream.packets == nil else { continue }
            isStopped = false
            guard lastPackets.count < Self.most || lastPackets[stream.key] != nil else { continue }
            lastPackets[stream.key] = (stream.kind, tick.time)
        }
        guard isStopped, tick.interval != nil else {
            since = nil
            return
        }
        guard since == nil, let newest = lastPackets.values.map(\.time).max() else { return }
        let least = newest - max(Self.spread, (tick.interval ?? 0) * 1000) * 1.1
        let together = lastPackets.values.filter { $0.time >= least }
        let isOfSeveral = MediaKind.allCases.contains { kind in
            together.count { $0.kind == kind } >= Self.people
        }
        if isOfSeveral { since = least }
    }

    /// Forgets streams that reports no longer have.
    private mutating func forgetOthers(than streams: [InboundDelta]) {
        guard lastPackets.count > streams.count || !streams.allSatisfy({ lastPackets[$0.key] != nil }) else {
            return
        }
        let keys = Set(streams.map(\.key))
        lastPackets = lastPackets.filter { keys.contains($0.key) }
    }
}
