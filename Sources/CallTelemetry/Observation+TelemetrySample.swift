// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionProtocol

extension PublisherObservation {
    /// What a publisher observed, as far as its sample tells: the way back of `TelemetrySample(observation)`.
    ///
    /// - Parameters:
    ///   - sample: The sample; names that nobody knows are as good as absent.
    ///   - time: When it was measured, Unix ms.
    public init(_ sample: TelemetrySample, at time: Double) {
        self.init(timestamp: time, diagnosis: Diagnosis(sample.diagnosis), levels: sample.levels ?? .init())
        var link = PublisherMediaLinkStats(transport: TransportStats(sample))
        link.degradationVerdict = sample.networkDegradationSource.flatMap { Vocabulary.sources[$0] }
        mediaLink = [link]
        audio = sample.audio.map { [PublisherAudioNetworkStats($0, at: time)] } ?? []
        video = sample.video.map { [PublisherVideoNetworkStats($0, at: time)] } ?? []
        events = (sample.events ?? []).compactMap(PublisherEvent.init)
    }
}

extension SubscriberObservation {
    /// What a subscriber observed, as far as its sample tells: the way back of `TelemetrySample(observation)`.
    ///
    /// - Parameters:
    ///   - sample: The sample; names that nobody knows are as good as absent.
    ///   - time: When it was measured, Unix ms.
    public init(_ sample: TelemetrySample, at time: Double) {
        self.init(timestamp: time, diagnosis: Diagnosis(sample.diagnosis), levels: sample.levels ?? .init())
        mediaLink.transport = TransportStats(sample)
        mediaLink.networkDegradationSource =
            sample.networkDegradationSource.flatMap { Vocabulary.sources[$0] } ?? .unknown
        mediaLink.remotePublisherTransport = sample.remoteNetworkCondition.map { condition in
            TransportStats(
                networkCondition: Vocabulary.conditions[condition] ?? .unknown,
                networkConditionReason: sample.remoteNetworkConditionReason
                    .flatMap { Vocabulary.reasons[$0] } ?? .unknown)
        }
        audio = sample.audio.map { SubscriberAudioNetworkStats($0, at: time) }
        video = sample.video.map { SubscriberVideoNetworkStats($0, at: time) }
        events = (sample.events ?? []).compactMap(SubscriberEvent.init)
    }
}

// MARK: - What both ends have

extension TransportStats {
    /// What a sample says of a transport; names that nobody knows are as good as absent.
    public init(_ sample: TelemetrySample) {
        self.init(
            connectionEstimatedBandwidth: sample.connectionEstimatedBandwidth,
            networkCondition: sample.networkCondition.flatMap { Vocabulary.conditions[$0] } ?? .unknown,
            networkConditionReason: sample.networkConditionReason.flatMap { Vocabulary.reasons[$0] }
                ?? .unknown,
            roundTripTime: sample.roundTripTime, fractionLost: sample.fractionLost,
            bandwidthDemand: sample.bandwidthDemand)
    }
}

extension Diagnosis {
    fileprivate init(_ diagnosis: TelemetryDiagnosis?) {
        self.init(
            cause: diagnosis.flatMap { Cause(rawValue: $0.cause) } ?? .unknown,
            direction: diagnosis?.direction.flatMap(NetworkDirection.init(rawValue:)),
            side: diagnosis?.side.flatMap { Vocabulary.sources[$0] },
            severity: diagnosis?.severity.flatMap(Severity.init(rawValue:)))
    }
}

extension UInt64 {
    /// A total; none was ever below zero.
    fileprivate init(total: Int) { self.init(clamping: total) }
    fileprivate init(total: Int64) { self.init(clamping: total) }
}

// MARK: - Media

extension PublisherAudioNetworkStats {
    fileprivate init(_ media: TelemetrySample.Media, at time: Double) {
        self.init(timestamp: time)
        audioPacketsSent = media.packets
        audioPacketsLost = media.packetsLost.map(UInt64.init(total:))
        audioBytesSent = media.bytes
        bitrate = media.bitrate
        jitter = media.jitter
        audioLevel = media.audioLevel
    }
}

extension PublisherVideoNetworkStats {
    fileprivate init(_ media: TelemetrySample.Media, at time: Double) {
        self.init(timestamp: time)
        videoPacketsSent = media.packets
        videoPacketsLost = media.packetsLost.map(UInt64.init(total:))
        videoBytesSent = media.bytes
        bitrate = media.bitrate
        jitter = media.jitter
        framesSent = media.framesSent
        videoLayers = media.layers?.map(PublisherVideoLayerStats.init) ?? Self.onlyLayer(media)
        let reason = media.qualityLimitationReason.flatMap(QualityLimitationReason.init)
        for index in videoLayers.indices { videoLayers[index].qualityLimitationReason = reason }
    }

    /// The layer of a stream that has one; nothing is told of one that sent nothing.
    private static func onlyLayer(_ media: TelemetrySample.Media) -> [PublisherVideoLayerStats] {
        let isKnown = media.width != nil || media.frameRate != nil
        return [
            PublisherVideoLayerStats(
                sending: isKnown ? true : nil, width: media.width, height: media.height,
                encodedFrameRate: media.frameRate, bitrate: media.bitrate)
        ]
    }
}

extension PublisherVideoLayerStats {
    fileprivate init(_ layer: TelemetryLayer) {
        self.init(
            rid: layer.rid, enabled: layer.enabled, sending: layer.sending, width: layer.width,
            height: layer.height, encodedFrameRate: layer.frameRate, bitrate: layer.bitrate)
    }
}

extension SubscriberAudioNetworkStats {
    fileprivate init(_ media: TelemetrySample.Media, at time: Double) {
        self.init(timestamp: time)
        audioPacketsReceived = media.packets
        audioPacketsLost = media.packetsLost.map(UInt64.init(total:))
        audioBytesReceived = media.bytes
        bitrate = media.bitrate
        jitter = media.jitter
        audioLevel = media.audioLevel
        mos = media.mos
    }
}

extension SubscriberVideoNetworkStats {
    fileprivate init(_ media: TelemetrySample.Media, at time: Double) {
        self.init(timestamp: time)
        videoPacketsReceived = media.packets
        videoPacketsLost = media.packetsLost.map(UInt64.init(total:))
        videoBytesReceived = media.bytes
        bitrate = media.bitrate
        jitter = media.jitter
        width = media.width
        height = media.height
        decodedFrameRate = media.frameRate
        freezeCount = media.freezeCount.map(UInt64.init(total:))
        totalFreezesDuration = media.totalFreezesDuration
        pauseCount = media.pauseCount.map(UInt64.init(total:))
        totalPausesDuration = media.totalPausesDuration
        mos = media.mos
    }
}

// MARK: - Events

extension PublisherEvent {
    /// What happened to a published stream; `nil` for what nobody knows.
    fileprivate init?(_ occurrence: TelemetryOccurrence) {
        if let change = NetworkConditionChange(occurrence) {
            self = .networkConditionChanged(change)
        } else if let warning = CallQualityWarning(occurrence) {
            self = .callQuality(warning)
        } else if occurrence.type == "videoQualityChanged",
            let reason = Vocabulary.publisherVideoReasons[occurrence.reason]
        {
            self = .videoQualityChanged(reason, isRecovery: occurrence.isRecovery)
        } else {
            return nil
        }
    }
}

extension SubscriberEvent {
    /// What happened to a subscribed stream; `nil` for what nobody knows.
    fileprivate init?(_ occurrence: TelemetryOccurrence) {
        if let change = NetworkConditionChange(occurrence) {
            self = .networkConditionChanged(change)
        } else if let warning = CallQualityWarning(occurrence) {
            self = .callQuality(warning)
        } else if occurrence.type == "videoQualityChanged",
            let reason = Vocabulary.subscriberVideoReasons[occurrence.reason]
        {
            self = .videoQualityChanged(reason, isRecovery: occurrence.isRecovery)
        } else {
            return nil
        }
    }
}

extension TelemetryOccurrence {
    fileprivate var isRecovery: Bool { phase == CallQualityWarning.Phase.recover.rawValue }
}

extension NetworkConditionChange {
    fileprivate init?(_ occurrence: TelemetryOccurrence) {
        guard occurrence.type == "networkConditionChanged",
            let from = occurrence.from.flatMap({ Vocabulary.conditions[$0] }),
            let to = occurrence.to.flatMap({ Vocabulary.conditions[$0] })
        else { return nil }
        self.init(
            side: occurrence.side.flatMap { Vocabulary.sources[$0] } ?? .unknown, from: from, to: to,
            reason: Vocabulary.reasons[occurrence.reason] ?? .unknown)
    }
}

extension CallQualityWarning {
    fileprivate init?(_ occurrence: TelemetryOccurrence) {
        guard occurrence.type == "callQuality", let kind = Kind(rawValue: occurrence.reason),
            let phase = occurrence.phase.flatMap(Phase.init(rawValue:))
        else { return nil }
        self.init(
            kind: kind, phase: phase, media: occurrence.media.flatMap(Media.init(rawValue:)),
            direction: occurrence.direction.flatMap(Direction.init(rawValue:)))
    }
}
