// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension CallQualityWarning.Kind: LabelledWord {
    package static var vocabulary: String { "Warning" }

    package var label: String {
        switch self {
        case .highRemoteInboundRTT: "high round-trip time"
        case .highInboundJitter: Diagnosis.Cause.jitter.label
        case .highInboundPacketLoss, .highOutboundPacketLoss: Diagnosis.Cause.packetLoss.label
        case .missingMediaStream: Diagnosis.Cause.connection.label
        case .constantAudioLevel: "constant audio level"
        case .zeroAudioLevel: "no audio (level 0)"
        case .lowOSOutputVolumeLevel: "low output volume"
        case .lowMOS: "low MOS"
        case .lowBandwidth: Diagnosis.Cause.bandwidth.label
        case .noMediaReceived: "nothing received"
        case .noMediaSent: "nothing sent"
        case .frozenVideo: "freeze"
        case .cpuLimited: "overloaded encoder"
        case .decoderOverloaded: "overloaded decoder"
        case .highAudioConcealment: "audible gaps"
        case .silentMicrophone: "silent microphone"
        case .lowCaptureRate: "low capture rate"
        case .outOfSync: Diagnosis.Cause.outOfSync.label
        case .speakingWhileMuted: "speaking while muted"
        }
    }
}

extension VideoEventReason: LabelledWord {
    package static var vocabulary: String { "VideoEventReason" }

    package var label: String {
        switch self {
        case .none: "no reason"
        case .publisherPropertyChanged: "switched by the publisher"
        case .subscriberPropertyChanged: "switched by the subscriber"
        case .qualityChanged: "switched by audio fallback"
        case .codecNotSupported: "unsupported codec"
        case .qualityDegradationBandwidth: Diagnosis.Cause.bandwidth.label
        case .qualityDegradationCPU: Diagnosis.Cause.cpu.label
        case .qualityDegradationOther: "limited by something else"
        case .codecChange: "codec change"
        case .resolutionChange: "resolution change"
        case .videoInterruption: "no frames"
        }
    }
}

extension QualityLimitationReason: LabelledWord {
    package static var vocabulary: String { "QualityLimitationReason" }

    package var label: String {
        switch self {
        case .none: "nothing"
        case .bandwidth: Diagnosis.Cause.bandwidth.label
        case .cpu: Diagnosis.Cause.cpu.label
        case .codec: VideoEventReason.codecChange.label
        case .resolution: VideoEventReason.resolutionChange.label
        case .layerChange: "layer change"
        case .other: "something else"
        }
    }
}

extension CallQualityWarning {
    /// Its terms as people call them, such as `high jitter`, `audio`, `inbound`.
    package var terms: [String] {
        [kind.label, media?.rawValue, direction?.rawValue].compactMap(\.self)
    }

    /// It in words, such as `packet loss, video, inbound is over: not applicable`.
    package var summary: String {
        let text = terms.joined(separator: ", ")
        guard phase == .recover else { return text }
        return text + " is over" + (recovery == .notApplicable ? ": not applicable" : "")
    }
}
