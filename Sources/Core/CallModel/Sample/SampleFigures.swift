// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Every figure and every word that a sample may hold.
///
/// To add one: its property in ``StreamSample``, ``MediaFigures`` or ``LayerFigures``, its line here with the round of additions that
/// it comes with (one more than the last release's), and whoever measures it.
public enum SampleFigures {
    private static let fraction = 0.0...1.0
    private static let rate = 0.0...1e12
    /// Seconds: an hour is longer than anything waits.
    private static let time = 0.0...3600.0
    /// Seconds: more than any engine delays a medium for the other, either way.
    private static let offset = -60.0...60.0
    /// ms in all: some three years.
    private static let total = 0.0...1e11
    /// The last integer up to which every reader of JSON tells each from the next.
    private static let count = 0.0...9_007_199_254_740_991.0
    /// Losses may be below zero by packets that came twice.
    private static let loss = -9_007_199_254_740_991.0...9_007_199_254_740_991.0
    private static let pixels = 0.0...16_384.0
    private static let frameRate = 0.0...1000.0

    /// Words of the sample itself.
    public static let words: [SampleWord<StreamSample>] = [
        .init(
            "networkCondition", { $0.networkCondition }, { $0.networkCondition = $1 }, column: "condition",
            "condition",
            meaning: .rules(
                "how well the path carries what is wanted of it; the lower of what loss and bandwidth say")),
        .init(
            "networkConditionReason", { $0.networkConditionReason }, { $0.networkConditionReason = $1 },
            column: "condition_reason", "reason",
            meaning: .rules("what drives the condition")),
        .init(
            "remoteNetworkCondition", { $0.remoteNetworkCondition }, { $0.remoteNetworkCondition = $1 },
            column: "remote_condition",
            "publisher’s condition",
            meaning: .rules("the same of the publisher’s uplink, at a subscriber")),
        .init(
            "remoteNetworkConditionReason", { $0.remoteNetworkConditionReason },
            { $0.remoteNetworkConditionReason = $1 }, column: "remote_reason",
            "publisher’s reason",
            meaning: .rules("what drives the publisher’s")),
        .init(
            "networkDegradationSource", { $0.networkDegradationSource }, { $0.networkDegradationSource = $1 },
            column: "source", "blamed",
            meaning: .rules("whose network is to blame, as the receiver sees it: `remote` is the sender’s")),
    ]

    /// Figures of the path.
    public static let path: [SampleFigure<StreamSample>] = [
        .init(
            "connectionEstimatedBandwidth", { $0.connectionEstimatedBandwidth },
            { $0.connectionEstimatedBandwidth = $1 }, .bitsPerSecond, rate,
            column: "estimate", "estimate", chart: .bitrate,
            meaning: .statistics(
                "what congestion control thinks the path carries in the direction of the stream; none where no one estimates it",
                "availableOutgoingBitrate")),
        .init(
            "roundTripTime", { $0.roundTripTime }, { $0.roundTripTime = $1 }, .seconds, time, column: "rtt",
            "round trip time",
            chart: .roundTripTime,
            meaning: .statistics(
                "there and back between this end and the other end of its peer connection, which may be a server",
                "currentRoundTripTime")),
        .init(
            "fractionLost", { $0.fractionLost }, { $0.fractionLost = $1 }, .fraction, fraction,
            column: "lost", "network loss", chart: .loss,
            meaning: .init(
                "packets that the network lost before repair, of those sent, over the last seconds",
                "RFC 3550")),
        .init(
            "bandwidthDemand", { $0.bandwidthDemand }, { $0.bandwidthDemand = $1 }, .bitsPerSecond, rate,
            column: "demand", "demand",
            chart: .bitrate,
            meaning: .rules("what the media that are wanted need together")),
    ]

    /// Words of the diagnosis.
    public static let diagnosisWords: [SampleWord<Diagnosis>] = [
        .init(
            "cause", { $0.storedCause }, { $0.storedCause = $1 }, column: "cause", "cause",
            meaning: .init("what is wrong", "`Cause.swift`")),
        .init(
            "direction", { $0.direction }, { $0.direction = $1 }, column: "direction", "direction",
            meaning: .rules(
                "in which direction it is wrong, seen from this client; none for faults of a device")),
        .init(
            "side", { $0.side }, { $0.side = $1 }, column: "side", "side",
            meaning: .rules("whose it is, at a subscriber")),
        .init(
            "confidence", { $0.confidence }, { $0.confidence = $1 }, column: "confidence", "confidence",
            meaning: .rules("how sure the cause is")),
        .init(
            "runnerUp", { $0.runnerUp }, { $0.runnerUp = $1 }, column: "runner_up", "next best cause",
            meaning: .rules("the cause that comes next, if another one would explain it")),
    ]

    /// Figures of the diagnosis.
    public static let diagnosis: [SampleFigure<Diagnosis>] = [
        .init(
            "severity", { $0.severity.map { Double($0.rawValue) } },
            { $0.severity = $1.flatMap { Diagnosis.Severity(rawValue: Int($0)) } }, .count, 1...4,
            column: "severity", "severity",
            meaning: .rules("how much a person notices: 1 noticeable, 2 disturbing, 3 bad, 4 unusable")),
        .init(
            "since", { $0.since }, { $0.since = $1 }, .unixTime, 0...8.64e15, column: "since", "since",
            meaning: .rules("when this diagnosis began, by the clock of the client that made it")),
    ]

    /// Figures that the diagnosis rests on.
    public static let evidence: [SampleFigure<Diagnosis.Evidence>] = [
        .init(
            "fractionLost", { $0.fractionLost }, { $0.fractionLost = $1 }, .fraction, fraction,
            column: "lost", "loss",
            meaning: .init("the network loss that the diagnosis rests on", "RFC 3550")),
        .init(
            "roundTripTime", { $0.roundTripTime }, { $0.roundTripTime = $1 }, .seconds, time, column: "rtt",
            "round trip time",
            meaning: .statistics("the round trip time that it rests on")),
        .init(
            "jitter", { $0.jitter }, { $0.jitter = $1 }, .seconds, time, column: "jitter", "jitter",
            meaning: .init("the jitter that it rests on", "RFC 3550, 6.4.1")),
        .init(
            "estimatedBandwidth", { $0.estimatedBandwidth }, { $0.estimatedBandwidth = $1 }, .bitsPerSecond,
            rate, column: "estimate", "estimate",
            meaning: .statistics("the estimate that it rests on")),
        .init(
            "demand", { $0.demand }, { $0.demand = $1 }, .bitsPerSecond, rate, column: "demand", "demand",
            meaning: .rules("the demand that it rests on")),
    ]

    /// Figures that both media have.
    private static let common: [SampleFigure<MediaFigures>] = [
        .whole(
            "packets", { $0.packets }, { $0.packets = $1 }, .count, count, column: "packets", "packets",
            meaning: .statistics("packets sent or received so far; continues over restarts and new SSRCs")),
        .whole(
            "packetsLost", { $0.packetsLost }, { $0.packetsLost = $1 }, .count, loss, column: "packets_lost",
            "packets lost",
            meaning: .init("packets that the network lost so far, before repair", "RFC 3550")),
        .whole(
            "bytes", { $0.bytes }, { $0.bytes = $1 }, .count, count, column: "bytes", "bytes",
            meaning: .statistics("payload sent or received so far, without headers")),
        .init(
            "bitrate", { $0.bitrate }, { $0.bitrate = $1 }, .bitsPerSecond, rate, column: "bitrate",
            "bitrate", chart: .bitrate,
            meaning: .statistics("payload in the last interval, without headers and retransmissions")
        ),
        .init(
            "maximumBitrate", { $0.maximumBitrate }, { $0.maximumBitrate = $1 }, .bitsPerSecond, rate,
            column: "maximum_bitrate",
            "maximum bitrate",
            meaning: .init("the most that the sender may use", "the app’s settings")),
        .init(
            "fractionLost", { $0.fractionLost }, { $0.fractionLost = $1 }, .fraction, fraction,
            column: "lost", "loss", chart: .loss,
            meaning: .init(
                "packets of this medium that the network lost in the last interval, before repair", "RFC 3550"
            )),
        .init(
            "jitter", { $0.jitter }, { $0.jitter = $1 }, .seconds, time, column: "jitter", "jitter",
            chart: .jitter,
            meaning: .init(
                "variation of the time that packets take; of video also the pacing of large frames",
                "RFC 3550, 6.4.1")),
        .init(
            "mos", { $0.mos }, { $0.mos = $1 }, .score, 1...5, column: "mos", "MOS", chart: .score,
            meaning: .init(
                "an estimate of what people would say, not rounded; audio by its delay and concealment, video by size, rate and freezes",
                "ITU-T G.107 (audio); ours (video)")),
    ]

    /// Figures of audio.
    public static let audio: [SampleFigure<MediaFigures>] =
        common + [
            .init(
                "jitterBufferDelay", { $0.jitterBufferDelay }, { $0.jitterBufferDelay = $1 }, .seconds, time,
                column: "buffer_delay",
                "jitter buffer",
                meaning: .statistics(
                    "how long audio waits before it is played, on average", "jitterBufferDelay")),
            .init(
                "audioLevel", { $0.audioLevel }, { $0.audioLevel = $1 }, .fraction, fraction, column: "level",
                "level", chart: .audioLevel,
                meaning: .statistics("how loud the audio is; 1 is the loudest that there is", "audioLevel")),
            .init(
                "concealment", { $0.concealment }, { $0.concealment = $1 }, .fraction, fraction,
                column: "concealment", "concealment",
                meaning: .statistics(
                    "the share of what was played that the receiver concealed audibly, because it did not come in time",
                    "concealedSamples")),
            .init(
                "mouthToEarDelay", { $0.mouthToEarDelay }, { $0.mouthToEarDelay = $1 }, .seconds, time,
                column: "mouth_to_ear", "mouth-to-ear delay",
                meaning: .init(
                    "how long audio takes from mouth to ear, as far as it is known: half the round trip of each leg, jitter buffer, loudspeaker, and 20 ms of coding; none where a leg is not known",
                    "ITU-T G.114")),
        ]

    /// Figures of video.
    public static let video: [SampleFigure<MediaFigures>] =
        common + [
            .init(
                "residualFractionLost", { $0.residualFractionLost }, { $0.residualFractionLost = $1 },
                .fraction, fraction, column: "residual_lost",
                "loss after repair", chart: .loss,
                meaning: .init("packets that are missing after retransmission", "RFC 3611")),
            .whole(
                "width", { $0.width }, { $0.width = $1 }, .pixels, pixels, column: "width", "width",
                meaning: .statistics("of the frames; of several layers, of the largest that is sent")
            ),
            .whole(
                "height", { $0.height }, { $0.height = $1 }, .pixels, pixels, column: "height", "height",
                chart: .frameHeight,
                meaning: .statistics("of the frames; of several layers, of the largest that is sent")
            ),
            .init(
                "frameRate", { $0.frameRate }, { $0.frameRate = $1 }, .perSecond, frameRate,
                column: "frame_rate", "frame rate",
                chart: .frameRate,
                meaning: .statistics("frames encoded, or decoded, in the last interval")),
            .init(
                "capturedFrameRate", { $0.capturedFrameRate }, { $0.capturedFrameRate = $1 }, .perSecond,
                frameRate,
                column: "captured_frame_rate", "capture rate", chart: .frameRate,
                meaning: .statistics("frames that the camera gave in the last interval", "framesPerSecond")),
            .whole(
                "framesSent", { $0.framesSent }, { $0.framesSent = $1 }, .count, count, column: "frames_sent",
                "frames sent",
                meaning: .statistics("frames sent so far")),
            .whole(
                "freezeCount", { $0.freezeCount }, { $0.freezeCount = $1 }, .count, count, column: "freezes",
                "freezes",
                meaning: .init(
                    "gaps that people see as a standing image, so far",
                    "`freezeCount`, W3C webrtc-stats; of engines without it from the times between frames"
                )),
            .init(
                "totalFreezesDuration", { $0.totalFreezesDuration }, { $0.totalFreezesDuration = $1 },
                .milliseconds, total,
                column: "freeze_duration", "frozen",
                meaning: .statistics("how long frames stood still so far", "totalFreezesDuration")),
            .whole(
                "pauseCount", { $0.pauseCount }, { $0.pauseCount = $1 }, .count, count, column: "pauses",
                "pauses",
                meaning: .statistics(
                    "gaps of more than 5 s without a frame so far, switched-off video included; a shared screen that did not change does not count",
                    "pauseCount")),
            .init(
                "totalPausesDuration", { $0.totalPausesDuration }, { $0.totalPausesDuration = $1 },
                .milliseconds, total, column: "pause_duration",
                "paused",
                meaning: .statistics("how long they lasted so far", "totalPausesDuration")),
            .init(
                "avSync", { $0.avSync }, { $0.avSync = $1 }, .seconds, offset, column: "av_sync",
                "A/V sync",
                meaning: .statistics(
                    "how far the audio that is heard is ahead of the video that is seen; below zero, behind it",
                    "estimatedPlayoutTimestamp")),
        ]

    /// Figures of either medium.
    static let media = audio + video.dropFirst(common.count)

    /// Words of video.
    public static let videoWords: [SampleWord<MediaFigures>] = [
        .init(
            "qualityLimitationReason", { $0.qualityLimitationReason }, { $0.qualityLimitationReason = $1 },
            column: "limitation", "limited by",
            meaning: .statistics("why the encoder sends less than it is set to", "qualityLimitationReason"))
    ]

    /// Figures of a layer.
    public static let layer: [SampleFigure<LayerFigures>] = [
        .whole(
            "width", { $0.width }, { $0.width = $1 }, .pixels, pixels, column: "width", "width",
            meaning: .statistics("of the layer’s frames")),
        .whole(
            "height", { $0.height }, { $0.height = $1 }, .pixels, pixels, column: "height", "height",
            chart: .frameHeight,
            meaning: .statistics("of the layer’s frames")),
        .init(
            "frameRate", { $0.frameRate }, { $0.frameRate = $1 }, .perSecond, frameRate, column: "frame_rate",
            "frame rate",
            meaning: .statistics("frames of the layer in the last interval")),
        .init(
            "bitrate", { $0.bitrate }, { $0.bitrate = $1 }, .bitsPerSecond, rate, column: "bitrate",
            "bitrate",
            meaning: .statistics("payload of the layer in the last interval")),
    ]

    static let bandwidthLevel: [SampleFigure<NetworkQualityDirectionStats.Bandwidth>] = [
        .init(
            "actual", { $0.actual }, { $0.actual = $1 }, .bitsPerSecond, rate, column: "actual", "bitrate",
            meaning: .rules("the bitrate that the level is of")),
        .init(
            "available", { $0.available }, { $0.available = $1 }, .bitsPerSecond, rate, column: "available",
            "estimate",
            meaning: .rules("the estimate that the level is of")),
    ]

    static let latencyLevel: [SampleFigure<NetworkQualityDirectionStats.Latency>] = [
        .init(
            "jitter", { $0.jitter }, { $0.jitter = $1 }, .seconds, time, column: "jitter", "jitter",
            meaning: .init("the jitter that the level is of", "RFC 3550, 6.4.1")),
        .init(
            "rtt", { $0.rtt }, { $0.rtt = $1 }, .seconds, time, column: "rtt", "round trip time",
            meaning: .statistics("the round trip time that the level is of")),
    ]

    static let lossLevel: [SampleFigure<NetworkQualityDirectionStats.FractionLost>] = [
        .init(
            "fractionLost", { $0.fractionLost }, { $0.fractionLost = $1 }, .fraction, fraction,
            column: "lost", "loss",
            meaning: .init("the loss that the level is of", "RFC 3550"))
    ]
}

extension Diagnosis {
    /// A diagnosis always has a cause.
    fileprivate var storedCause: Cause? {
        get { cause }
        set { cause = newValue ?? .unknown }
    }
}
