// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension PublisherObservation {
    /// What a publisher observed, as far as its sample tells: the way back of `StreamSample(observation)`.
    ///
    /// - Parameters:
    ///   - sample: The sample; names that no one knows are as good as absent.
    ///   - time: When it was measured, Unix ms.
    public init(_ sample: StreamSample, at time: Double) {
        self.init(
            timestamp: time, diagnosis: sample.diagnosis ?? Diagnosis(), levels: sample.levels ?? .init())
        var link = PublisherMediaLinkStats(transport: TransportStats(sample))
        link.degradationVerdict = sample.networkDegradationSource
        mediaLink = [link]
        audio = sample.audio.map { [PublisherAudioNetworkStats($0, at: time)] } ?? []
        video = sample.video.map { [PublisherVideoNetworkStats($0, at: time)] } ?? []
        events = sample.events ?? []
    }
}

extension SubscriberObservation {
    /// What a subscriber observed, as far as its sample tells: the way back of `StreamSample(observation)`.
    ///
    /// - Parameters:
    ///   - sample: The sample; names that no one knows are as good as absent.
    ///   - time: When it was measured, Unix ms.
    public init(_ sample: StreamSample, at time: Double) {
        self.init(
            timestamp: time, diagnosis: sample.diagnosis ?? Diagnosis(), levels: sample.levels ?? .init())
        mediaLink.transport = TransportStats(sample)
        mediaLink.networkDegradationSource =
            sample.networkDegradationSource ?? .unknown
        mediaLink.remotePublisherTransport = sample.remoteNetworkCondition.map { condition in
            TransportStats(
                networkCondition: condition,
                networkConditionReason: sample.remoteNetworkConditionReason ?? .unknown)
        }
        audio = sample.audio.map { SubscriberAudioNetworkStats($0, at: time) }
        video = sample.video.map { SubscriberVideoNetworkStats($0, at: time) }
        events = sample.events ?? []
    }
}

// MARK: - What both ends have

extension TransportStats {
    /// What a sample says of a transport; names that no one knows are as good as absent.
    public init(_ sample: StreamSample) {
        self.init(
            connectionEstimatedBandwidth: sample.connectionEstimatedBandwidth,
            networkCondition: sample.networkCondition ?? .unknown,
            networkConditionReason: sample.networkConditionReason ?? .unknown,
            roundTripTime: sample.roundTripTime, fractionLost: sample.fractionLost,
            bandwidthDemand: sample.bandwidthDemand)
    }
}

extension UInt64 {
    /// A total; none was ever below zero.
    fileprivate init(total: Int) { self.init(clamping: total) }
    fileprivate init(total: Int64) { self.init(clamping: total) }
}

// MARK: - Media

extension PublisherAudioNetworkStats {
    fileprivate init(_ media: MediaFigures, at time: Double) {
        self.init(timestamp: time)
        codec = media.codec
        audioPacketsSent = media.packets
        audioPacketsLost = media.packetsLost.map(UInt64.init(total:))
        audioBytesSent = media.bytes
        bitrate = media.bitrate
        fractionLost = media.fractionLost
        jitter = media.jitter
        audioLevel = media.audioLevel
    }
}

extension PublisherVideoNetworkStats {
    fileprivate init(_ media: MediaFigures, at time: Double) {
        self.init(timestamp: time)
        capturedFrameRate = media.capturedFrameRate
        videoPacketsSent = media.packets
        videoPacketsLost = media.packetsLost.map(UInt64.init(total:))
        videoBytesSent = media.bytes
        bitrate = media.bitrate
        fractionLost = media.fractionLost
        jitter = media.jitter
        framesSent = media.framesSent
        videoLayers = media.layers?.map(PublisherVideoLayerStats.init) ?? Self.onlyLayer(media)
        let reason = media.qualityLimitationReason
        for index in videoLayers.indices {
            videoLayers[index].qualityLimitationReason = reason
            videoLayers[index].codec = media.codec
        }
    }

    /// The layer of a stream that has one; nothing is said of one that sent nothing.
    private static func onlyLayer(_ media: MediaFigures) -> [PublisherVideoLayerStats] {
        let isKnown = media.width != nil || media.frameRate != nil
        return [
            PublisherVideoLayerStats(
                sending: isKnown ? true : nil, width: media.width, height: media.height,
                encodedFrameRate: media.frameRate, bitrate: media.bitrate)
        ]
    }
}

extension PublisherVideoLayerStats {
    fileprivate init(_ layer: LayerFigures) {
        self.init(
            rid: layer.rid, enabled: layer.enabled, sending: layer.sending, width: layer.width,
            height: layer.height, encodedFrameRate: layer.frameRate, bitrate: layer.bitrate)
    }
}

extension SubscriberAudioNetworkStats {
    fileprivate init(_ media: MediaFigures, at time: Double) {
        self.init(timestamp: time)
        codec = media.codec
        concealment = media.concealment
        jitterBufferDelay = media.jitterBufferDelay
        audioPacketsReceived = media.packets
        audioPacketsLost = media.packetsLost.map(UInt64.init(total:))
        audioBytesReceived = media.bytes
        bitrate = media.bitrate
        fractionLost = media.fractionLost
        jitter = media.jitter
        audioLevel = media.audioLevel
        mos = media.mos
    }
}

extension SubscriberVideoNetworkStats {
    fileprivate init(_ media: MediaFigures, at time: Double) {
        self.init(timestamp: time)
        codec = media.codec
        residualFractionLost = media.residualFractionLost
        videoPacketsReceived = media.packets
        videoPacketsLost = media.packetsLost.map(UInt64.init(total:))
        videoBytesReceived = media.bytes
        bitrate = media.bitrate
        fractionLost = media.fractionLost
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
