// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Every figure that a sample may hold, with the values that mean something.
enum Figures {
    private static let fraction = 0.0...1.0
    /// bps.
    private static let rate = 0.0...1e12
    /// Seconds: an hour is longer than anything waits.
    private static let time = 0.0...3600.0
    /// ms in all: some three years.
    private static let total = 0.0...1e11
    private static let count = 0.0...Double(SessionProtocol.numberLimit)
    /// Losses may be below zero by packets that came twice.
    private static let loss = -Double(SessionProtocol.numberLimit)...Double(SessionProtocol.numberLimit)
    private static let pixels = 0.0...Double(SessionProtocol.dimensionLimit)
    private static let frameRate = 0.0...SessionProtocol.frameRateLimit
    /// Of sound 4.5 at most by the E-model, of pictures 5.
    private static let opinion = 1.0...5.0

    static let sample: [Figure<TelemetrySample>] = [
        .init("connectionEstimatedBandwidth", \.connectionEstimatedBandwidth, rate),
        .init("roundTripTime", \.roundTripTime, time),
        .init("fractionLost", \.fractionLost, fraction),
        .init("bandwidthDemand", \.bandwidthDemand, rate),
    ]

    static let media: [Figure<TelemetrySample.Media>] = [
        .init("packets", \.packets, count),
        .init("packetsLost", \.packetsLost, loss),
        .init("bytes", \.bytes, count),
        .init("bitrate", \.bitrate, rate),
        .init("maximumBitrate", \.maximumBitrate, rate),
        .init("jitter", \.jitter, time),
        .init("width", \.width, pixels),
        .init("height", \.height, pixels),
        .init("frameRate", \.frameRate, frameRate),
        .init("framesSent", \.framesSent, count),
        .init("freezeCount", \.freezeCount, count),
        .init("totalFreezesDuration", \.totalFreezesDuration, total),
        .init("pauseCount", \.pauseCount, count),
        .init("totalPausesDuration", \.totalPausesDuration, total),
        .init("audioLevel", \.audioLevel, fraction),
        .init("mos", \.mos, opinion),
    ]

    static let layer: [Figure<TelemetryLayer>] = [
        .init("width", \.width, pixels),
        .init("height", \.height, pixels),
        .init("frameRate", \.frameRate, frameRate),
        .init("bitrate", \.bitrate, rate),
    ]

    static let diagnosis: [Figure<TelemetryDiagnosis>] = [.init("severity", \.severity, 1...4)]

    static let bandwidth: [Figure<NetworkQualityDirectionStats.Bandwidth>] = [
        .init("actual", \.actual, rate), .init("available", \.available, rate),
    ]

    static let latency: [Figure<NetworkQualityDirectionStats.Latency>] = [
        .init("jitter", \.jitter, time), .init("rtt", \.rtt, time),
    ]

    static let fractionLost: [Figure<NetworkQualityDirectionStats.FractionLost>] = [
        .init("fractionLost", \.fractionLost, fraction)
    ]
}
