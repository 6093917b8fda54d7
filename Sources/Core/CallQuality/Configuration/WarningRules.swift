// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The rules of the call quality warnings.
///
/// The defaults are the seven of Sinch, as Sinch documents them: ``sinch``. Ours are switched off until an app wants them, one by
/// one or all at once: ``extended``.
public struct WarningRules: Sendable, Equatable, Codable {
    /// Round trip time in RTCP, in seconds.
    public var highRemoteInboundRTT: WarningRule = WarningRule(0.3)
    /// Jitter of received audio, in seconds, in 3 of the last 4 samples.
    public var highInboundJitter: WarningRule = WarningRule(0.03)
    /// Jitter of received video, in seconds, likewise; the kind is `highInboundJitter` as well.
    ///
    /// Key frames that are paced jitter: ``extended`` has 0.06.
    public var highInboundVideoJitter: WarningRule = WarningRule(0.03)
    /// Network loss of what is received, `0...1`, in 3 of the last 4 samples.
    public var highInboundPacketLoss: WarningRule = WarningRule(0.01)
    /// ICE is neither connected nor completed.
    public var missingMediaStream: WarningRule = WarningRule(0)
    /// Standard deviation of the level within the window, as a share of the maximum.
    public var constantAudioLevel: WarningRule = WarningRule(0.005, duration: 20)
    /// A level of 0.
    public var zeroAudioLevel: WarningRule = WarningRule(0, duration: 2)
    /// Output volume of the device, `0...1`.
    public var lowOSOutputVolumeLevel: WarningRule = WarningRule(0.25)
    /// Opinion score of received audio.
    public var lowMOS: WarningRule = .off(3, recover: 3.3, duration: 5)
    /// Network loss of what is sent, `0...1`, in 3 of the last 4 samples.
    public var highOutboundPacketLoss: WarningRule = .off(0.01)
    /// Estimate divided by demand, when the cause is bandwidth.
    public var lowBandwidth: WarningRule = .off(0.5, recover: 0.6, duration: 3)
    /// Expected media is not received, or not sent; the kinds are `noMediaReceived` and `noMediaSent`.
    public var noMedia: WarningRule = .off(0, duration: 5)
    /// No expected frame.
    public var frozenVideo: WarningRule = .off(0, duration: 2)
    /// Share of the time that encoding takes, while frames are omitted; an engine that calls itself limited
    /// by the processor is believed above ``WarningRule/recover``.
    public var cpuLimited: WarningRule = .off(0.8, recover: 0.5, duration: 2)
    /// An encoder that encodes less than this share of the captured frames skips frames.
    public var minEncodedFrameShare: Double = 0.8
    /// Share of the time that decoding takes.
    public var decoderOverloaded: WarningRule = .off(0.8, recover: 0.6, duration: 3)
    /// Loss from which on slow decoding is not attributed to the decoder, `0...1`.
    public var decoderBlameMaxLoss: Double = 0.02
    /// Share of complete frames that an overloaded decoder does not show.
    public var decoderDroppedShare: Double = 0.1
    /// Share of audio that was audibly concealed.
    public var highAudioConcealment: WarningRule = .off(0.03, recover: 0.01, duration: 3)
    /// Level of a microphone that is not muted: digital silence, which no room and no noise suppression makes.
    public var silentMicrophone: WarningRule = .off(0, duration: 10)
    /// Captured frame rate as a share of the wanted one.
    public var lowCaptureRate: WarningRule = .off(0.5, recover: 0.7, duration: 3)

    /// By how much video is behind its audio, in seconds; the kind is `outOfSync`.
    ///
    /// People do not accept more than 90 ms, and detect 45 ms (ITU-R BT.1359-1); engines need up to 15 s to catch up.
    public var audioAhead: WarningRule = .off(0.09, recover: 0.045, duration: 15)
    /// By how much audio is behind its video, in seconds, likewise.
    ///
    /// Late audio is familiar: people do not accept more than 185 ms, and detect 125 ms.
    public var audioBehind: WarningRule = .off(0.185, recover: 0.125, duration: 15)
    /// Level of a microphone that is muted, in 3 of the last 4 samples: that of quiet speech.
    public var speakingWhileMuted: WarningRule = .off(0.02)

    /// Creates the defaults.
    public init() {}

    /// Reads settings; what is omitted keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension WarningRules {
    /// Sinch's seven, with its limits and samples, and nothing else: the defaults.
    public static var sinch: WarningRules { WarningRules() }

    /// Sinch's seven and ours, with a limit for the jitter of video that paced key frames do not reach.
    public static var extended: WarningRules {
        var rules = WarningRules()
        rules.highInboundVideoJitter.trigger = 0.06
        for rule in own { rules[keyPath: rule].isEnabled = true }
        return rules
    }

    /// Those that are no vendor's.
    private static var own: [WritableKeyPath<WarningRules, WarningRule>] {
        [
            \.lowMOS, \.highOutboundPacketLoss, \.lowBandwidth, \.noMedia, \.frozenVideo, \.cpuLimited,
            \.decoderOverloaded, \.highAudioConcealment, \.silentMicrophone, \.lowCaptureRate,
            \.audioAhead, \.audioBehind, \.speakingWhileMuted,
        ]
    }
}

extension WarningRule {
    /// A warning that is not raised unless an app wants it.
    fileprivate static func off(
        _ trigger: Double, recover: Double? = nil, duration: Double = 0
    ) -> WarningRule {
        var rule = WarningRule(trigger, recover: recover, duration: duration)
        rule.isEnabled = false
        return rule
    }
}

extension WarningRules: Settings {
    static let settings: [Setting<WarningRules>] = [
        .rules("highRemoteInboundRTT", \.highRemoteInboundRTT, .seconds),
        .rules("highInboundJitter", \.highInboundJitter, .seconds),
        .rules("highInboundVideoJitter", \.highInboundVideoJitter, .seconds),
        .rules("highInboundPacketLoss", \.highInboundPacketLoss, .share),
        .rules("missingMediaStream", \.missingMediaStream),
        .rules("constantAudioLevel", \.constantAudioLevel, .share),
        .rules("zeroAudioLevel", \.zeroAudioLevel, .level),
        .rules("lowOSOutputVolumeLevel", \.lowOSOutputVolumeLevel, .share),
        .rules("lowMOS", \.lowMOS, .score),
        .rules("highOutboundPacketLoss", \.highOutboundPacketLoss, .share),
        .rules("lowBandwidth", \.lowBandwidth, .ratio),
        .rules("noMedia", \.noMedia),
        .rules("frozenVideo", \.frozenVideo),
        .rules("cpuLimited", \.cpuLimited, .share),
        .number("minEncodedFrameShare", \.minEncodedFrameShare, .fraction, .share),
        .rules("decoderOverloaded", \.decoderOverloaded, .share),
        .number("decoderBlameMaxLoss", \.decoderBlameMaxLoss, .fraction, .share),
        .number("decoderDroppedShare", \.decoderDroppedShare, .fraction, .share),
        .rules("highAudioConcealment", \.highAudioConcealment, .share),
        .rules("silentMicrophone", \.silentMicrophone, .level),
        .rules("lowCaptureRate", \.lowCaptureRate, .share),
        .rules("audioAhead", \.audioAhead, .seconds),
        .rules("audioBehind", \.audioBehind, .seconds),
        .rules("speakingWhileMuted", \.speakingWhileMuted, .level),
    ]
}
