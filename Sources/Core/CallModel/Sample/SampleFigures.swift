// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Every figure and every word that a sample may hold.
///
/// To add one: its property in ``StreamSample``, ``MediaFigures`` or ``LayerFigures``, its line here, and whoever
/// measures it.
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
            "condition"),
        .init(
            "networkConditionReason", { $0.networkConditionReason }, { $0.networkConditionReason = $1 },
            column: "condition_reason", "reason"),
        .init(
            "remoteNetworkCondition", { $0.remoteNetworkCondition }, { $0.remoteNetworkCondition = $1 },
            column: "remote_condition",
            "publisher’s condition"),
        .init(
            "remoteNetworkConditionReason", { $0.remoteNetworkConditionReason },
            { $0.remoteNetworkConditionReason = $1 }, column: "remote_reason",
            "publisher’s reason"),
        .init(
            "networkDegradationSource", { $0.networkDegradationSource }, { $0.networkDegradationSource = $1 },
            column: "source", "blamed"),
    ]

    /// Figures of the path.
    public static let path: [SampleFigure<StreamSample>] = [
        .init(
            "connectionEstimatedBandwidth", { $0.connectionEstimatedBandwidth },
            { $0.connectionEstimatedBandwidth = $1 }, .bitsPerSecond, rate,
            column: "estimate", "estimate", chart: .bitrate),
        .init(
            "roundTripTime", { $0.roundTripTime }, { $0.roundTripTime = $1 }, .seconds, time, column: "rtt",
            "round trip time",
            chart: .roundTripTime),
        .init(
            "fractionLost", { $0.fractionLost }, { $0.fractionLost = $1 }, .fraction, fraction,
            column: "lost", "network loss", chart: .loss),
        .init(
            "bandwidthDemand", { $0.bandwidthDemand }, { $0.bandwidthDemand = $1 }, .bitsPerSecond, rate,
            column: "demand", "demand",
            chart: .bitrate),
    ]

    /// Words of the diagnosis.
    public static let diagnosisWords: [SampleWord<Diagnosis>] = [
        .init("cause", { $0.storedCause }, { $0.storedCause = $1 }, column: "cause", "cause"),
        .init("direction", { $0.direction }, { $0.direction = $1 }, column: "direction", "direction"),
        .init("side", { $0.side }, { $0.side = $1 }, column: "side", "side"),
        .init(
            "confidence", { $0.confidence }, { $0.confidence = $1 }, column: "confidence", "confidence"),
        .init("runnerUp", { $0.runnerUp }, { $0.runnerUp = $1 }, column: "runner_up", "next best cause"),
    ]

    /// Figures of the diagnosis.
    public static let diagnosis: [SampleFigure<Diagnosis>] = [
        .init(
            "severity", { $0.severity.map { Double($0.rawValue) } },
            { $0.severity = $1.flatMap { Diagnosis.Severity(rawValue: Int($0)) } }, .count, 1...4,
            column: "severity", "severity"),
        .init("since", { $0.since }, { $0.since = $1 }, .unixTime, 0...8.64e15, column: "since", "since"),
    ]

    /// Figures that the diagnosis rests on.
    public static let evidence: [SampleFigure<Diagnosis.Evidence>] = [
        .init(
            "fractionLost", { $0.fractionLost }, { $0.fractionLost = $1 }, .fraction, fraction,
            column: "lost", "loss"),
        .init(
            "roundTripTime", { $0.roundTripTime }, { $0.roundTripTime = $1 }, .seconds, time, column: "rtt",
            "round trip time"),
        .init("jitter", { $0.jitter }, { $0.jitter = $1 }, .seconds, time, column: "jitter", "jitter"),
        .init(
            "estimatedBandwidth", { $0.estimatedBandwidth }, { $0.estimatedBandwidth = $1 }, .bitsPerSecond,
            rate, column: "estimate", "estimate"),
        .init("demand", { $0.demand }, { $0.demand = $1 }, .bitsPerSecond, rate, column: "demand", "demand"),
    ]

    /// Figures that both media have.
    private static let common: [SampleFigure<MediaFigures>] = [
        .whole("packets", { $0.packets }, { $0.packets = $1 }, .count, count, column: "packets", "packets"),
        .whole(
            "packetsLost", { $0.packetsLost }, { $0.packetsLost = $1 }, .count, loss, column: "packets_lost",
            "packets lost"),
        .whole("bytes", { $0.bytes }, { $0.bytes = $1 }, .count, count, column: "bytes", "bytes"),
        .init(
            "bitrate", { $0.bitrate }, { $0.bitrate = $1 }, .bitsPerSecond, rate, column: "bitrate",
            "bitrate", chart: .bitrate),
        .init(
            "maximumBitrate", { $0.maximumBitrate }, { $0.maximumBitrate = $1 }, .bitsPerSecond, rate,
            column: "maximum_bitrate",
            "maximum bitrate"),
        .init(
            "fractionLost", { $0.fractionLost }, { $0.fractionLost = $1 }, .fraction, fraction,
            column: "lost", "loss", chart: .loss),
        .init(
            "jitter", { $0.jitter }, { $0.jitter = $1 }, .seconds, time, column: "jitter", "jitter",
            chart: .jitter),
        .init("mos", { $0.mos }, { $0.mos = $1 }, .score, 1...5, column: "mos", "MOS", chart: .score),
    ]

    /// Figures of audio.
    public static let audio: [SampleFigure<MediaFigures>] =
        common + [
            .init(
                "jitterBufferDelay", { $0.jitterBufferDelay }, { $0.jitterBufferDelay = $1 }, .seconds, time,
                column: "buffer_delay",
                "jitter buffer"),
            .init(
                "audioLevel", { $0.audioLevel }, { $0.audioLevel = $1 }, .fraction, fraction, column: "level",
                "level", chart: .audioLevel),
            .init(
                "concealment", { $0.concealment }, { $0.concealment = $1 }, .fraction, fraction,
                column: "concealment", "concealment"),
            .init(
                "mouthToEarDelay", { $0.mouthToEarDelay }, { $0.mouthToEarDelay = $1 }, .seconds, time,
                column: "mouth_to_ear", "mouth-to-ear delay"),
        ]

    /// Figures of video.
    public static let video: [SampleFigure<MediaFigures>] =
        common + [
            .init(
                "residualFractionLost", { $0.residualFractionLost }, { $0.residualFractionLost = $1 },
                .fraction, fraction, column: "residual_lost",
                "loss after repair", chart: .loss),
            .whole("width", { $0.width }, { $0.width = $1 }, .pixels, pixels, column: "width", "width"),
            .whole(
                "height", { $0.height }, { $0.height = $1 }, .pixels, pixels, column: "height", "height",
                chart: .frameHeight),
            .init(
                "frameRate", { $0.frameRate }, { $0.frameRate = $1 }, .perSecond, frameRate,
                column: "frame_rate", "frame rate",
                chart: .frameRate),
            .init(
                "capturedFrameRate", { $0.capturedFrameRate }, { $0.capturedFrameRate = $1 }, .perSecond,
                frameRate,
                column: "captured_frame_rate", "capture rate", chart: .frameRate),
            .whole(
                "framesSent", { $0.framesSent }, { $0.framesSent = $1 }, .count, count, column: "frames_sent",
                "frames sent"),
            .whole(
                "freezeCount", { $0.freezeCount }, { $0.freezeCount = $1 }, .count, count, column: "freezes",
                "freezes"),
            .init(
                "totalFreezesDuration", { $0.totalFreezesDuration }, { $0.totalFreezesDuration = $1 },
                .milliseconds, total,
                column: "freeze_duration", "frozen"),
            .whole(
                "pauseCount", { $0.pauseCount }, { $0.pauseCount = $1 }, .count, count, column: "pauses",
                "pauses"),
            .init(
                "totalPausesDuration", { $0.totalPausesDuration }, { $0.totalPausesDuration = $1 },
                .milliseconds, total, column: "pause_duration",
                "paused"),
            .init(
                "avSync", { $0.avSync }, { $0.avSync = $1 }, .seconds, offset, column: "av_sync",
                "A/V sync"),
        ]

    /// Figures of either medium.
    static let media = audio + video.dropFirst(common.count)

    /// Words of video.
    public static let videoWords: [SampleWord<MediaFigures>] = [
        .init(
            "qualityLimitationReason", { $0.qualityLimitationReason }, { $0.qualityLimitationReason = $1 },
            column: "limitation", "limited by")
    ]

    /// Figures of a layer.
    public static let layer: [SampleFigure<LayerFigures>] = [
        .whole("width", { $0.width }, { $0.width = $1 }, .pixels, pixels, column: "width", "width"),
        .whole(
            "height", { $0.height }, { $0.height = $1 }, .pixels, pixels, column: "height", "height",
            chart: .frameHeight),
        .init(
            "frameRate", { $0.frameRate }, { $0.frameRate = $1 }, .perSecond, frameRate, column: "frame_rate",
            "frame rate"),
        .init(
            "bitrate", { $0.bitrate }, { $0.bitrate = $1 }, .bitsPerSecond, rate, column: "bitrate", "bitrate"
        ),
    ]

    static let bandwidthLevel: [SampleFigure<NetworkQualityDirectionStats.Bandwidth>] = [
        .init("actual", { $0.actual }, { $0.actual = $1 }, .bitsPerSecond, rate, column: "actual", "bitrate"),
        .init(
            "available", { $0.available }, { $0.available = $1 }, .bitsPerSecond, rate, column: "available",
            "estimate"),
    ]

    static let latencyLevel: [SampleFigure<NetworkQualityDirectionStats.Latency>] = [
        .init("jitter", { $0.jitter }, { $0.jitter = $1 }, .seconds, time, column: "jitter", "jitter"),
        .init("rtt", { $0.rtt }, { $0.rtt = $1 }, .seconds, time, column: "rtt", "round trip time"),
    ]

    static let lossLevel: [SampleFigure<NetworkQualityDirectionStats.FractionLost>] = [
        .init(
            "fractionLost", { $0.fractionLost }, { $0.fractionLost = $1 }, .fraction, fraction,
            column: "lost", "loss")
    ]
}

extension Diagnosis {
    /// A diagnosis always has a cause.
    fileprivate var storedCause: Cause? {
        get { cause }
        set { cause = newValue ?? .unknown }
    }
}
