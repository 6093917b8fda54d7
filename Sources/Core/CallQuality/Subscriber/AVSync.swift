// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// How far the audio that is heard is ahead of the video that is seen.
///
/// Engines report the time of capture, by the sender's clock, of what is played now (`estimatedPlayoutTimestamp`), of the
/// tracks that they synchronize with each other. Which of several belong together no report says.
package struct AVSync: Sendable {
    /// The newest difference, in seconds; below zero where audio is behind; `nil` if this tick says nothing.
    private(set) var now: Double?
    private var knownAt = -Double.infinity

    /// A larger difference, in seconds, is one of clocks: engines delay neither medium by more for the other.
    private static let most = 10.0
    /// Frames per second below which the time of the last one says little: the next is late by as much as people accept.
    package static let motion = 8.0
    /// How long nothing may be said of it before it is over, in ms.
    private static let memory = 10_000.0

    /// Takes a tick's received streams.
    mutating func handle(_ entries: [InboundDelta], _ report: borrowing StatsReport, _ tick: Tick) {
        now = nil
        var pair = (audio: Double?.none, video: Double?.none)
        for entry in entries {
            guard let time = report.inboundRTP[entry.index].estimatedPlayoutTimestamp else { continue }
            let isPlaying =
                entry.kind == .audio
                ? entry.packets?.amount ?? 0 > 0 : entry.frames?.perSecond ?? 0 >= Self.motion
            guard isPlaying, Self.add(time, entry.kind, to: &pair) else { return }
        }
        now = Self.offset(pair)
        if now != nil { knownAt = tick.time }
    }

    /// Whether no one has said anything of it for long.
    func isUnknown(at tick: Tick) -> Bool {
        tick.time - knownAt > max(Self.memory, 2500 * (tick.interval ?? 0))
    }

    /// How far a report's audio is ahead of a video of it, in seconds; `nil` if that is not known.
    package static func offset(of video: borrowing InboundRTPStats, _ report: borrowing StatsReport)
        -> Double?
    {
        guard let time = video.estimatedPlayoutTimestamp else { return nil }
        var pair = (audio: Double?.none, video: Double?.none)
        for index in report.inboundRTP.indices {
            guard let kind = MediaKind(report.inboundRTP[index].kind),
                let other = report.inboundRTP[index].estimatedPlayoutTimestamp
            else { continue }
            guard add(other, kind, to: &pair) else { return nil }
        }
        return pair.video == time ? offset(pair) : nil
    }

    /// Adds a stream's time; returns whether it is the only one of its kind.
    private static func add(
        _ time: Double, _ kind: MediaKind, to pair: inout (audio: Double?, video: Double?)
    ) -> Bool {
        switch kind {
        case .audio:
            guard pair.audio == nil else { return false }
            pair.audio = time
        case .video:
            guard pair.video == nil else { return false }
            pair.video = time
        }
        return true
    }

    private static func offset(_ pair: (audio: Double?, video: Double?)) -> Double? {
        guard let audio = pair.audio, let video = pair.video else { return nil }
        let offset = (audio - video) / 1000
        return abs(offset) <= most ? offset : nil
    }
}
