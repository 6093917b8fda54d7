// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// All symptoms there are; their warnings come in this order.
extension SymptomDefinition {
    /// The symptoms of a published stream.
    static let published: [SymptomDefinition] = [
        missingMediaStream,
        .init(.highRemoteInboundRTT, .audio, by: \.highRemoteInboundRTT) {
            $0.audio.unlessOff(.init($0.audio.roundTripTime, above: $1))
        },
        .init(.highRemoteInboundRTT, .video, by: \.highRemoteInboundRTT) {
            $0.video.unlessOff(.init($0.video.roundTripTime, above: $1))
        },
        .init(.highOutboundPacketLoss, .audio, .outbound, by: \.highOutboundPacketLoss, .threeOfFour) {
            $0.audio.unlessOff(.init($0.audio.fractionLost, above: $1))
        },
        .init(.highOutboundPacketLoss, .video, .outbound, by: \.highOutboundPacketLoss, .threeOfFour) {
            $0.video.unlessOff(.init($0.video.fractionLost, above: $1))
        },
        lowBandwidth(.outbound),
        constantAudioLevel(.outbound),
        zeroAudioLevel(.outbound),
        .init(.silentMicrophone, .audio, .outbound, by: \.silentMicrophone) {
            $0.audio.whileOn(.init($0.audioLevel, upTo: $1))
        },
        noMedia(.noMediaSent, .audio, .outbound, \.audio),
        .init(.cpuLimited, .video, .outbound, by: \.cpuLimited) { $0.video.whileOn(encoder($0, $1)) },
        noMedia(.noMediaSent, .video, .outbound, \.video),
        .init(.lowCaptureRate, .video, .outbound, by: \.lowCaptureRate) {
            $0.video.whileSteady(.init($0.captureShare, below: $1))
        },
        .init(.speakingWhileMuted, .audio, .outbound, by: \.speakingWhileMuted, .threeOfFour) {
            figures, rule in
            guard let isMuted = figures.isMuted else { return .none }
            return isMuted ? .init(figures.audioLevel, above: rule) : .notApplicable
        },
    ]

    /// The symptoms of a subscribed stream.
    static let subscribed: [SymptomDefinition] = [
        missingMediaStream,
        lowBandwidth(.inbound),
        .init(.highInboundPacketLoss, .audio, .inbound, by: \.highInboundPacketLoss, .threeOfFour) {
            $0.audio.unlessOff(.init($0.audio.fractionLost, above: $1))
        },
        .init(.highInboundPacketLoss, .video, .inbound, by: \.highInboundPacketLoss, .threeOfFour) {
            $0.video.unlessOff(.init($0.video.fractionLost, above: $1))
        },
        .init(.highInboundJitter, .audio, .inbound, by: \.highInboundJitter, .threeOfFour) {
            $0.audio.unlessOff(.init($0.audio.jitter, above: $1))
        },
        .init(.highInboundJitter, .video, .inbound, by: \.highInboundVideoJitter, .threeOfFour) {
            $0.video.unlessOff(.init($0.video.jitter, above: $1))
        },
        constantAudioLevel(.inbound),
        zeroAudioLevel(.inbound),
        noMedia(.noMediaReceived, .audio, .inbound, \.audio),
        .init(.lowMOS, .audio, .inbound, by: \.lowMOS) {
            $0.audio.unlessOff(.init($0.opinionScore, below: $1))
        },
        .init(.highAudioConcealment, .audio, .inbound, by: \.highAudioConcealment) {
            $0.audio.unlessOff(.init($0.concealment, above: $1))
        },
        .init(.lowOSOutputVolumeLevel, by: \.lowOSOutputVolumeLevel) { .init($0.outputVolume, upTo: $1) },
        .init(.frozenVideo, .video, .inbound, by: \.frozenVideo, .included) { figures, rule in
            figures.video.whileOn(.init(isBad: figures.frameDueFor.map { $0 >= rule.duration } ?? false))
        },
        noMedia(.noMediaReceived, .video, .inbound, \.video),
        .init(.decoderOverloaded, .video, .inbound, by: \.decoderOverloaded) {
            $0.video.unlessOff(.init($0.decodingShare, above: $1))
        },
        .init(.outOfSync, .video, .inbound, by: \.audioAhead) {
            $0.whileSynchronized(.init($0.avSync, above: $1))
        },
        .init(.outOfSync, .audio, .inbound, by: \.audioBehind) {
            $0.whileSynchronized(.init($0.avSync.map { -$0 }, above: $1))
        },
    ]
}

/// What both roles have.
extension SymptomDefinition {
    private static let missingMediaStream = Self(.missingMediaStream, by: \.missingMediaStream) {
        figures, _ in
        .init(isBad: figures.isDisconnected)
    }

    private static func lowBandwidth(_ direction: CallQualityWarning.Direction) -> Self {
        Self(.lowBandwidth, nil, direction, by: \.lowBandwidth) {
            $0.isOff ? .notApplicable : .init($0.coverage, below: $1)
        }
    }

    private static func constantAudioLevel(_ direction: CallQualityWarning.Direction) -> Self {
        Self(.constantAudioLevel, .audio, direction, by: \.constantAudioLevel, .included) {
            $0.audio.whileSteady(.init($0.levelDeviation, below: $1))
        }
    }

    private static func zeroAudioLevel(_ direction: CallQualityWarning.Direction) -> Self {
        Self(.zeroAudioLevel, .audio, direction, by: \.zeroAudioLevel) {
            $0.audio.whileSteady(.init($0.audioLevel, upTo: $1))
        }
    }

    private static func noMedia(
        _ kind: CallQualityWarning.Kind, _ media: MediaKind,
        _ direction: CallQualityWarning.Direction,
        _ medium: any KeyPath<SymptomFigures, SymptomFigures.Medium> & Sendable
    ) -> Self {
        Self(kind, media, direction, by: \.noMedia) { figures, _ in
            let medium = figures[keyPath: medium]
            return medium.whileSteady(.init(isBad: medium.bitrate.map { $0 <= 0 }))
        }
    }

    /// Whether the processor holds the encoder back.
    ///
    /// Engines notice it after many seconds and forget it late: frames that are skipped while encoding takes, or all of them
    /// would take, nearly all the time report at once, and an encoder with time to spare that gives up nothing is not limited.
    /// Where a device lacks time altogether the source gives fewer as well, of which few more are skipped.
    /// Of an engine that gives no reason, one that takes most of the time and has given up half is, and one that gave it up
    /// for that.
    private static func encoder(_ figures: SymptomFigures, _ rule: WarningRule) -> SymptomSample {
        let share = figures.encodingShare
        if figures.isCalledCPULimited {
            return figures.isHalved || share ?? .infinity >= rule.recover ?? rule.trigger ? .bad : .good
        }
        let most = (rule.trigger + (rule.recover ?? rule.trigger)) / 2
        if figures.isLimitationUnknown, figures.isHalved, share ?? 0 > most || figures.isReducedForCPU {
            return .bad
        }
        if figures.isSlowed, share ?? 0 > rule.trigger { return .bad }
        let need = max(share ?? 0, figures.encodingNeed ?? 0)
        return need > rule.trigger && figures.skipsFrames ? .bad : .good
    }
}
