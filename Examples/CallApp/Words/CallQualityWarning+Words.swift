// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension CallQualityWarning {
    /// What is raised or over, such as `packets are lost (audio, received)`.
    var words: String {
        let direction = direction.map { $0 == .inbound ? "received" : "sent" }
        let about = [media?.name, direction].compactMap { $0 }.joined(separator: ", ")
        let what = about.isEmpty ? kind.words : "\(kind.words) (\(about))"
        return phase == .recover ? "\(what), over" : what
    }
}

extension CallQualityWarning.Kind {
    /// What it means.
    var words: String {
        switch self {
        case .highRemoteInboundRTT: "long round trip"
        case .highInboundJitter: "packets arrive irregularly"
        case .highInboundPacketLoss, .highOutboundPacketLoss: "packets are lost"
        case .missingMediaStream: "no connection for media"
        case .constantAudioLevel: "the audio level never changes"
        case .zeroAudioLevel: "the audio is silent"
        case .lowOSOutputVolumeLevel: "the device's volume is low"
        case .lowMOS: "audio is hard to understand"
        case .lowBandwidth: "too little bandwidth"
        case .noMediaReceived: "nothing is received"
        case .noMediaSent: "nothing is sent"
        case .frozenVideo: "video is frozen"
        case .cpuLimited: "the processor limits the video"
        case .decoderOverloaded: "the processor is too slow to decode the video"
        case .highAudioConcealment: "audio has gaps"
        case .silentMicrophone: "the microphone is silent"
        case .lowCaptureRate: "the camera is slow"
        case .outOfSync: "voice and lips do not match"
        case .speakingWhileMuted: "speaking while muted"
        }
    }
}
