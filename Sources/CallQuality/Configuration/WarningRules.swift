// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The rules of the call quality warnings.
public struct WarningRules: Sendable, Equatable, Codable {
    /// Round trip time in RTCP, in seconds: more than 300 ms.
    public var highRemoteInboundRTT: WarningRule = WarningRule(0.3)
    /// Jitter of received audio, in seconds: more than 30 ms in 3 of 4 samples.
    public var highInboundJitter: WarningRule = WarningRule(0.03)
    /// The same of received video; key frames that are paced jitter: more than 60 ms.
    public var highInboundVideoJitter: WarningRule = WarningRule(0.06)
    /// Network loss, `0...1`: more than 1 % in 3 of 4 samples.
    public var highInboundPacketLoss: WarningRule = WarningRule(0.01)
    /// ICE is neither connected nor completed.
    public var missingMediaStream: WarningRule = WarningRule(0)
    /// Standard deviation of the level as a share of the maximum, over a window.
    public var constantAudioLevel: WarningRule = WarningRule(0.005, duration: 20)
    /// A level of 0 for a while.
    public var zeroAudioLevel: WarningRule = WarningRule(0, duration: 2)
    /// Output volume, `0...1`: the lowest 25 %.
    public var lowOSOutputVolumeLevel: WarningRule = WarningRule(0.25)
    /// Opinion score of received sound.
    public var lowMOS: WarningRule = WarningRule(3, recover: 3.3, duration: 5)
    /// Network loss on the way up: more than 1 % in 3 of 4 samples.
    public var highOutboundPacketLoss: WarningRule = WarningRule(0.01)
    /// Estimate divided by demand, when the cause is bandwidth.
    public var lowBandwidth: WarningRule = WarningRule(0.5, recover: 0.6, duration: 3)
    /// Nothing is received, or sent, that should be, for a while.
    public var noMedia: WarningRule = WarningRule(0, duration: 5)
    /// No frame that was due, while the stream should show one, for a while.
    public var frozenVideo: WarningRule = WarningRule(0, duration: 2)
    /// Share of the time that encoding takes, while frames are left out; an engine that calls itself limited by the
    /// processor is believed above ``WarningRule/recover``.
    public var cpuLimited: WarningRule = WarningRule(0.8, recover: 0.5, duration: 2)
    /// An encoder that encodes less than this share of the captured frames leaves some out.
    public var encodedFrames: Double = 0.8
    /// Share of the time that decoding takes.
    public var decoderOverloaded: WarningRule = WarningRule(0.8, recover: 0.6, duration: 3)
    /// A decoder is not blamed from this loss on, `0...1`.
    public var blamelessLoss: Double = 0.02
    /// Share of sound that was invented audibly.
    public var highAudioConcealment: WarningRule = WarningRule(0.03, recover: 0.01, duration: 3)
    /// Level of a microphone that is not muted, for a while.
    public var silentMicrophone: WarningRule = WarningRule(0.001, duration: 30)
    /// Captured frame rate as a share of the wanted one.
    public var lowCaptureRate: WarningRule = WarningRule(0.5, recover: 0.7, duration: 3)

    /// Creates the defaults.
    public init() {}

    /// Reads settings; what is left out keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension WarningRules: Settings {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case highRemoteInboundRTT, highInboundJitter, highInboundVideoJitter, highInboundPacketLoss,
            missingMediaStream, constantAudioLevel, zeroAudioLevel, lowOSOutputVolumeLevel, lowMOS,
            highOutboundPacketLoss, lowBandwidth, noMedia, frozenVideo, cpuLimited, encodedFrames,
            decoderOverloaded, blamelessLoss,
            highAudioConcealment, silentMicrophone, lowCaptureRate
    }

    mutating func update(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.read(&highRemoteInboundRTT, .highRemoteInboundRTT)
        try container.read(&highInboundJitter, .highInboundJitter)
        try container.read(&highInboundVideoJitter, .highInboundVideoJitter)
        try container.read(&highInboundPacketLoss, .highInboundPacketLoss)
        try container.read(&missingMediaStream, .missingMediaStream)
        try container.read(&constantAudioLevel, .constantAudioLevel)
        try container.read(&zeroAudioLevel, .zeroAudioLevel)
        try container.read(&lowOSOutputVolumeLevel, .lowOSOutputVolumeLevel)
        try container.read(&lowMOS, .lowMOS)
        try container.read(&highOutboundPacketLoss, .highOutboundPacketLoss)
        try container.read(&lowBandwidth, .lowBandwidth)
        try container.read(&noMedia, .noMedia)
        try container.read(&frozenVideo, .frozenVideo)
        try container.read(&cpuLimited, .cpuLimited)
        try container.read(&encodedFrames, .encodedFrames)
        try container.read(&decoderOverloaded, .decoderOverloaded)
        try container.read(&blamelessLoss, .blamelessLoss)
        try container.read(&highAudioConcealment, .highAudioConcealment)
        try container.read(&silentMicrophone, .silentMicrophone)
        try container.read(&lowCaptureRate, .lowCaptureRate)
    }

    func check(_ path: String, _ problems: inout [String]) {
        highRemoteInboundRTT.check("\(path).highRemoteInboundRTT", &problems)
        highInboundJitter.check("\(path).highInboundJitter", &problems)
        highInboundVideoJitter.check("\(path).highInboundVideoJitter", &problems)
        highInboundPacketLoss.check("\(path).highInboundPacketLoss", &problems)
        missingMediaStream.check("\(path).missingMediaStream", &problems)
        constantAudioLevel.check("\(path).constantAudioLevel", &problems)
        zeroAudioLevel.check("\(path).zeroAudioLevel", &problems)
        lowOSOutputVolumeLevel.check("\(path).lowOSOutputVolumeLevel", &problems)
        lowMOS.check("\(path).lowMOS", &problems)
        highOutboundPacketLoss.check("\(path).highOutboundPacketLoss", &problems)
        lowBandwidth.check("\(path).lowBandwidth", &problems)
        noMedia.check("\(path).noMedia", &problems)
        frozenVideo.check("\(path).frozenVideo", &problems)
        cpuLimited.check("\(path).cpuLimited", &problems)
        requireFraction(encodedFrames, "\(path).encodedFrames", &problems)
        decoderOverloaded.check("\(path).decoderOverloaded", &problems)
        requireFraction(blamelessLoss, "\(path).blamelessLoss", &problems)
        highAudioConcealment.check("\(path).highAudioConcealment", &problems)
        silentMicrophone.check("\(path).silentMicrophone", &problems)
        lowCaptureRate.check("\(path).lowCaptureRate", &problems)
    }
}
