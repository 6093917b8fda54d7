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
        .init("networkCondition", \.networkCondition, column: "condition", "condition"),
        .init("networkConditionReason", \.networkConditionReason, column: "condition_reason", "reason"),
        .init(
            "remoteNetworkCondition", \.remoteNetworkCondition, column: "remote_condition",
            "publisher’s condition"),
        .init(
            "remoteNetworkConditionReason", \.remoteNetworkConditionReason, column: "remote_reason",
            "publisher’s reason"),
        .init("networkDegradationSource", \.networkDegradationSource, column: "source", "blamed"),
    ]

    /// Figures of the path.
    public static let path: [SampleFigure<StreamSample>] = [
        .init(
            "connectionEstimatedBandwidth", \.connectionEstimatedBandwidth, .bitsPerSecond, rate,
            column: "estimate", "estimate", chart: .bitrate),
        .init(
            "roundTripTime", \.roundTripTime, .seconds, time, column: "rtt", "round trip time",
            chart: .roundTripTime),
        .init(
            "fractionLost", \.fractionLost, .fraction, fraction, column: "lost", "network loss", chart: .loss),
        .init(
            "bandwidthDemand", \.bandwidthDemand, .bitsPerSecond, rate, column: "demand", "demand",
            chart: .bitrate),
    ]

    /// Words of the diagnosis.
    public static let diagnosisWords: [SampleWord<Diagnosis>] = [
        .init("cause", \.storedCause, column: "cause", "cause"),
        .init("direction", \.direction, column: "direction", "direction"),
        .init("side", \.side, column: "side", "side"),
    ]

    /// Figures of the diagnosis.
    public static let diagnosis: [SampleFigure<Diagnosis>] = [
        .init(
            "severity", .count, 1...4, column: "severity", "severity",
            value: { $0.severity.map { Double($0.rawValue) } },
            set: { $0.severity = $1.flatMap { Diagnosis.Severity(rawValue: Int($0)) } }),
        .init("since", \.since, .unixTime, 0...8.64e15, column: "since", "since"),
    ]

    /// Figures that the diagnosis rests on.
    public static let evidence: [SampleFigure<Diagnosis.Evidence>] = [
        .init("fractionLost", \.fractionLost, .fraction, fraction, column: "lost", "loss"),
        .init("roundTripTime", \.roundTripTime, .seconds, time, column: "rtt", "round trip time"),
        .init("jitter", \.jitter, .seconds, time, column: "jitter", "jitter"),
        .init(
            "estimatedBandwidth", \.estimatedBandwidth, .bitsPerSecond, rate, column: "estimate", "estimate"),
        .init("demand", \.demand, .bitsPerSecond, rate, column: "demand", "demand"),
    ]

    /// Figures that both media have.
    private static let common: [SampleFigure<MediaFigures>] = [
        .init("packets", \.packets, .count, count, column: "packets", "packets"),
        .init("packetsLost", \.packetsLost, .count, loss, column: "packets_lost", "packets lost"),
        .init("bytes", \.bytes, .count, count, column: "bytes", "bytes"),
        .init("bitrate", \.bitrate, .bitsPerSecond, rate, column: "bitrate", "bitrate", chart: .bitrate),
        .init(
            "maximumBitrate", \.maximumBitrate, .bitsPerSecond, rate, column: "maximum_bitrate",
            "maximum bitrate"),
        .init("fractionLost", \.fractionLost, .fraction, fraction, column: "lost", "loss", chart: .loss),
        .init("jitter", \.jitter, .seconds, time, column: "jitter", "jitter", chart: .jitter),
        .init("mos", \.mos, .score, 1...5, column: "mos", "MOS", chart: .score),
    ]

    /// Figures of audio.
    public static let audio: [SampleFigure<MediaFigures>] =
        common + [
            .init(
                "jitterBufferDelay", \.jitterBufferDelay, .seconds, time, column: "buffer_delay",
                "jitter buffer"),
            .init(
                "audioLevel", \.audioLevel, .fraction, fraction, column: "level", "level", chart: .audioLevel),
            .init("concealment", \.concealment, .fraction, fraction, column: "concealment", "concealment"),
        ]

    /// Figures of video.
    public static let video: [SampleFigure<MediaFigures>] =
        common + [
            .init(
                "residualFractionLost", \.residualFractionLost, .fraction, fraction, column: "residual_lost",
                "loss after repair", chart: .loss),
            .init("width", \.width, .pixels, pixels, column: "width", "width"),
            .init("height", \.height, .pixels, pixels, column: "height", "height", chart: .frameHeight),
            .init(
                "frameRate", \.frameRate, .perSecond, frameRate, column: "frame_rate", "frame rate",
                chart: .frameRate),
            .init(
                "capturedFrameRate", \.capturedFrameRate, .perSecond, frameRate,
                column: "captured_frame_rate", "capture rate", chart: .frameRate),
            .init("framesSent", \.framesSent, .count, count, column: "frames_sent", "frames sent"),
            .init("freezeCount", \.freezeCount, .count, count, column: "freezes", "freezes"),
            .init(
                "totalFreezesDuration", \.totalFreezesDuration, .milliseconds, total,
                column: "freeze_duration", "frozen"),
            .init("pauseCount", \.pauseCount, .count, count, column: "pauses", "pauses"),
            .init(
                "totalPausesDuration", \.totalPausesDuration, .milliseconds, total, column: "pause_duration",
                "paused"),
        ]

    /// Figures of either medium.
    static let media = audio + video.dropFirst(common.count)

    /// Words of video.
    public static let videoWords: [SampleWord<MediaFigures>] = [
        .init("qualityLimitationReason", \.qualityLimitationReason, column: "limitation", "limited by")
    ]

    /// Figures of a layer.
    public static let layer: [SampleFigure<LayerFigures>] = [
        .init("width", \.width, .pixels, pixels, column: "width", "width"),
        .init("height", \.height, .pixels, pixels, column: "height", "height", chart: .frameHeight),
        .init("frameRate", \.frameRate, .perSecond, frameRate, column: "frame_rate", "frame rate"),
        .init("bitrate", \.bitrate, .bitsPerSecond, rate, column: "bitrate", "bitrate"),
    ]

    static let bandwidthLevel: [SampleFigure<NetworkQualityDirectionStats.Bandwidth>] = [
        .init("actual", \.actual, .bitsPerSecond, rate, column: "actual", "bitrate"),
        .init("available", \.available, .bitsPerSecond, rate, column: "available", "estimate"),
    ]

    static let latencyLevel: [SampleFigure<NetworkQualityDirectionStats.Latency>] = [
        .init("jitter", \.jitter, .seconds, time, column: "jitter", "jitter"),
        .init("rtt", \.rtt, .seconds, time, column: "rtt", "round trip time"),
    ]

    static let lossLevel: [SampleFigure<NetworkQualityDirectionStats.FractionLost>] = [
        .init("fractionLost", \.fractionLost, .fraction, fraction, column: "lost", "loss")
    ]
}

extension Diagnosis {
    /// A diagnosis always has a cause.
    fileprivate var storedCause: Cause? {
        get { cause }
        set { cause = newValue ?? .unknown }
    }
}
