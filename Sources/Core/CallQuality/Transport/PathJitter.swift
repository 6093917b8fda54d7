// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// The jitter of a path, as opposed to that of media: the least that any kind of media sees.
///
/// A frame's packets come in bursts, which measure as jitter even on a path without any.
struct PathJitter: Sendable {
    /// What was last reported of a stream of sent video.
    private struct Layer {
        var stream: UInt64
        var jitter: Double
        /// Reports of others since.
        var missed = 0
    }

    private var audio: Double?
    private var video: Double?
    /// Layers of video are reported one by one, and the frames of each make jitter of their own.
    private var layers: [Layer] = []
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
    /// Reports of other layers after which what was reported of one is old: it may be off.
    private static let mostMissed = 3
    /// Packets over which jitter is a mean (RFC 3550, 6.4.1): of fewer it is still that of the time before.
    private static let memory: UInt64 = 16

    /// Takes what RTCP reports of sent media newly say; the jitter in seconds, or `nil` while it is unknown.
    mutating func steadiest(_ ticks: [OutboundDelta]) -> Double? {
        let isVideoNew = noteLayers(ticks)
        let heard = ticks.lazy.filter { $0.kind == .audio }.compactMap(\.jitter).min()
        if let heard {
            audio = heard
            newer = 0
            beside = video ?? 0
        } else if isVideoNew, let video {
            newer = video >= max(Self.beyondBursts, Self.rise * beside) ? newer + 1 : 0
        }
        return newer >= 2 ? video : least
    }

    /// Takes the jitter of received media; that of a stream of which nothing comes is only what it was.
    mutating func steadiest(_ ticks: [InboundDelta], _ report: borrowing StatsReport) -> Double? {
        audio = Self.least(ticks, .audio, report) ?? audio
        video = Self.least(ticks, .video, report) ?? video
        return least
    }

    private var least: Double? {
        guard let audio, let video else { return audio ?? video }
        return min(audio, video)
    }

    /// Takes what is new of video; returns whether anything is.
    private mutating func noteLayers(_ ticks: [OutboundDelta]) -> Bool {
        let new = ticks.filter { $0.kind == .video && $0.jitter != nil }
        guard !new.isEmpty else { return false }
        for index in layers.indices { layers[index].missed += 1 }
        for tick in new {
            let layer = Layer(stream: tick.key, jitter: tick.jitter ?? 0)
            if let place = layers.firstIndex(where: { $0.stream == tick.key }) {
                layers[place] = layer
            } else {
                layers.append(layer)
            }
        }
        layers.removeAll { $0.missed > Self.mostMissed }
        video = layers.lazy.map(\.jitter).min()
        return true
    }

    /// The least of all received streams of a kind; `nil` if none comes.
    private static func least(
        _ ticks: [InboundDelta], _ kind: MediaKind, _ report: borrowing StatsReport
    ) -> Double? {
        var (measured, known): (Double?, Double?) = (nil, nil)
        for tick in ticks where tick.kind == kind && !tick.isResuming {
            guard let packets = tick.packets?.amount, packets > 0,
                let jitter = report.inboundRTP[tick.index].jitter?.ifSane
            else { continue }
            known = min(known ?? jitter, jitter)
            if packets >= memory { measured = min(measured ?? jitter, jitter) }
        }
        return measured ?? known
    }
}
