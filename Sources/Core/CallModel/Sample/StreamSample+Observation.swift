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
        audio = MediaFigures(total: observation.audio)
        video = MediaFigures(total: observation.video)
        self = withoutImpossibleFigures()
    }

    private init(measured observation: PublisherObservation) {
        self.init()
        if let transport = observation.legs.first?.transport { take(transport) }
        networkDegradationSource = observation.legs.first?.degradationVerdict
        diagnosis = observation.diagnosis
        events = observation.events.isEmpty ? nil : observation.events
        audio = observation.audio.first
        video = observation.video.first
        levels = observation.levels
    }

    /// What a subscriber has measured.
    public init(_ observation: SubscriberObservation) {
        self.init()
        take(observation.transport)
        remoteNetworkCondition = observation.remotePublisherTransport?.networkCondition
        remoteNetworkConditionReason = observation.remotePublisherTransport?.networkConditionReason
        networkDegradationSource = observation.networkDegradationSource
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
}

extension Optional where Wrapped: FixedWidthInteger {
    /// Adds what is known; more than fits is the most that fits.
    fileprivate mutating func add(_ other: Wrapped?) {
        guard let other else { return }
        let (sum, overflows) = (self ?? 0).addingReportingOverflow(other)
        self = overflows ? .max : sum
    }
}
