// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StreamSample {
    /// What a publisher has measured; of several connections the first.
    public init(_ observation: PublisherObservation) {
        self.init(measured: observation)
        self = withoutImpossibleFigures()
    }

    /// What a publisher has measured on all its connections: the first one's, with the sums of what is counted.
    public init(total observation: PublisherObservation) {
        self.init(measured: observation)
        if observation.audio.count > 1 {
            audio = MediaFigures(total: observation.audio.map(MediaFigures.init))
        }
        if observation.video.count > 1 {
            video = MediaFigures(total: observation.video.map(MediaFigures.init))
        }
        self = withoutImpossibleFigures()
    }

    private init(measured observation: PublisherObservation) {
        self.init()
        if let transport = observation.mediaLink.first?.transport { take(transport) }
        networkDegradationSource = observation.mediaLink.first?.degradationVerdict
        diagnosis = observation.diagnosis
        events = observation.events.isEmpty ? nil : observation.events
        audio = observation.audio.first.map(MediaFigures.init)
        video = observation.video.first.map(MediaFigures.init)
        levels = observation.levels
    }

    /// What a subscriber has measured.
    public init(_ observation: SubscriberObservation) {
        self.init()
        let link = observation.mediaLink
        take(link.transport)
        remoteNetworkCondition = link.remotePublisherTransport?.networkCondition
        remoteNetworkConditionReason = link.remotePublisherTransport?.networkConditionReason
        networkDegradationSource = link.networkDegradationSource
        diagnosis = observation.diagnosis
        events = observation.events.isEmpty ? nil : observation.events
        audio = observation.audio
        video = observation.video
        levels = observation.levels
        self = withoutImpossibleFigures()
    }

    private mutating func take(_ transport: TransportStats) {
        networkCondition = transport.networkCondition
        networkConditionReason = transport.networkConditionReason
        connectionEstimatedBandwidth = transport.connectionEstimatedBandwidth
        roundTripTime = transport.roundTripTime
        fractionLost = transport.fractionLost
        bandwidthDemand = transport.bandwidthDemand
    }
}

extension TransportStats {
    /// What a sample says of a transport; names that no one knows are as good as absent.
    package init(_ sample: StreamSample) {
        self.init(
            connectionEstimatedBandwidth: sample.connectionEstimatedBandwidth,
            networkCondition: sample.networkCondition ?? .unknown,
            networkConditionReason: sample.networkConditionReason ?? .unknown,
            roundTripTime: sample.roundTripTime, fractionLost: sample.fractionLost,
            bandwidthDemand: sample.bandwidthDemand)
    }
}

extension MediaFigures {
    /// The first one's, with the sums of what is counted; `nil` of none.
    fileprivate init?(total connections: [MediaFigures]) {
        guard var first = connections.first else { return nil }
        for next in connections.dropFirst() {
            first.packets.add(next.packets)
            first.packetsLost.add(next.packetsLost)
            first.bytes.add(next.bytes)
            first.framesSent.add(next.framesSent)
            if let bitrate = next.bitrate { first.bitrate = (first.bitrate ?? 0) + bitrate }
        }
        self = first
    }

    fileprivate init(_ stats: PublisherAudioNetworkStats) {
        self.init()
        codec = stats.codec
        packets = stats.audioPacketsSent
        packetsLost = stats.audioPacketsLost.map { Int64(clamping: $0) }
        bytes = stats.audioBytesSent
        bitrate = stats.bitrate
        fractionLost = stats.fractionLost
        jitter = stats.jitter
        audioLevel = stats.audioLevel
    }

    fileprivate init(_ stats: PublisherVideoNetworkStats) {
        self.init()
        // Before there is a rate, whether one sends is unknown.
        let largest = stats.videoLayers.last { $0.sending != false }
        codec = largest?.codec
        capturedFrameRate = stats.capturedFrameRate
        packets = stats.videoPacketsSent
        packetsLost = stats.videoPacketsLost.map { Int64(clamping: $0) }
        bytes = stats.videoBytesSent
        bitrate = stats.bitrate
        fractionLost = stats.fractionLost
        jitter = stats.jitter
        width = largest?.width
        height = largest?.height
        frameRate = largest?.encodedFrameRate
        framesSent = stats.framesSent
        let limits = stats.videoLayers.compactMap(\.qualityLimitationReason)
        qualityLimitationReason = limits.first { $0 != .none } ?? limits.first
        if stats.videoLayers.count > 1 {
            layers = stats.videoLayers.suffix(Self.layerLimit).map(LayerFigures.init)
        }
    }
}

extension LayerFigures {
    fileprivate init(_ layer: PublisherVideoLayerStats) {
        self.init(
            rid: layer.rid.flatMap { Self.isID($0) ? $0 : nil }, enabled: layer.enabled,
            sending: layer.sending, width: layer.width, height: layer.height,
            frameRate: layer.encodedFrameRate, bitrate: layer.bitrate)
    }
}

extension Optional where Wrapped: FixedWidthInteger {
    /// Adds what is known; more than fits is the most that fits.
    fileprivate mutating func add(_ other: Wrapped?) {
        guard let other else { return }
        let (sum, overflows) = (self ?? 0).addingReportingOverflow(other)
        self = overflows ? .max : sum
    }
}
