// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Notices that audio and video of several people stop at once, while the reports about them stay: the server between no
/// longer passes them on.
///
/// One who holds or leaves takes no one else along; all may be muted at once, or all video paused, and the rest continues then.
struct JointStop: Sendable {
    private var lastPackets: [UInt64: (kind: MediaKind, time: Double)] = [:]

    /// A moment before the last packets of those that stopped at once, in ms: whose came later is one of them; `nil` unless
    /// several did.
    private(set) var since: Double?

    /// How far apart they may have stopped, in ms; reports have to come as often, or no one knows.
    private static let spread = 1100.0
    /// Microphones that are several people's: a peer has one, and what its screen plays.
    private static let people = 3
    /// Most streams that are remembered.
    private static let most = 512

    /// Takes the received streams of a tick.
    mutating func handle(_ streams: [InboundDelta], at tick: Tick) {
        guard streams.count > Self.people, tick.interval ?? 0 <= Self.spread * 2 / 1000 else {
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
        guard isStopped, let interval = tick.interval else {
            since = nil
            return
        }
        guard since == nil, let newest = lastPackets.values.map(\.time).max() else { return }
        let begin = newest - max(Self.spread, interval * 1100)
        let together = lastPackets.values.filter { $0.time >= begin }
        let microphones = together.count { $0.kind == .audio }
        if microphones >= Self.people, together.count > microphones { since = begin }
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
