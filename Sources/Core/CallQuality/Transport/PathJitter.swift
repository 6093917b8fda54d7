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
    /// Reports since the last one about audio in which video jitters more than its frames make it.
    private var newer = 0
    /// The jitter of video when audio was last reported.
    private var beside = 0.0

    /// More than the bursts of frames make, in seconds: where so much is reported of video again and again, what was
    /// reported of audio before is old.
    private static let beyondBursts = 0.025
    /// How many times what it was beside audio the jitter of video has to be.
    ///
    /// In a queue that is long, packets of a frame wait for each other for 100 ms and more, and audio comes steadily.
    private static let rise = 1.5

    /// Takes what RTCP reports of sent media newly say; the jitter in seconds, or `nil` while it is unknown.
    mutating func steadiest(_ ticks: [OutboundDelta]) -> Double? {
        for tick in ticks { note(tick.jitter, tick.kind) }
        if ticks.contains(where: { $0.kind == .audio && $0.jitter != nil }) {
            newer = 0
            beside = video ?? 0
        } else {
            for jitter in ticks.lazy.compactMap(\.jitter) {
                newer = jitter >= max(Self.beyondBursts, Self.rise * beside) ? newer + 1 : 0
            }
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
