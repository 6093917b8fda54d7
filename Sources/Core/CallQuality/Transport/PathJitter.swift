// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// The jitter of a path, as opposed to that of media: the least that any kind of media sees.
///
/// A frame's packets come in bursts, which measure as jitter even on a path without any.
struct PathJitter: Sendable {
    private var audio: Double?
    private var video: Double?
    /// Reports about video since the last one about audio.
    private var newer = 0

    /// More than the bursts of frames make, in seconds: where so much is reported of video again and again, what was
    /// reported of audio before is old.
    private static let beyondBursts = 0.025

    /// Takes what RTCP reports of sent media newly say; the jitter in seconds, or `nil` while it is unknown.
    mutating func steadiest(_ ticks: [OutboundDelta]) -> Double? {
        for tick in ticks {
            note(tick.jitter, tick.kind)
            guard let jitter = tick.jitter else { continue }
            newer = tick.kind == .video && jitter >= Self.beyondBursts ? newer + 1 : 0
        }
        return newer >= 2 ? video : least
    }

    /// Takes the jitter of received media; that of a stream of which nothing comes is only what it was.
    mutating func steadiest(_ ticks: [InboundDelta], _ report: borrowing StatsReport) -> Double? {
        for tick in ticks where tick.packets?.amount ?? 0 > 0 && !tick.isResuming {
            note(report.inboundRTP[tick.index].jitter?.ifSane, tick.kind)
        }
        return least
    }

    private var least: Double? {
        guard let audio, let video else { return audio ?? video }
        return min(audio, video)
    }

    private mutating func note(_ value: Double?, _ kind: MediaKind) {
        guard let value else { return }
        switch kind {
        case .audio: audio = value
        case .video: video = value
        }
    }
}
