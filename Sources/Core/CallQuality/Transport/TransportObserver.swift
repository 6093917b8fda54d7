// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Observes one peer connection: makes its reports differences, and judges its path in both directions.
///
/// A ``PublisherObserver`` or ``SubscriberObserver`` brings its own. Only where several streams share a peer
/// connection one is made for the connection; its observation then goes to each stream's observer. The demand
/// on the path is the sum over the streams.
///
/// It has no clock: time is what the reports say. Reports that are repeated or late are ignored; counters
/// that start over, SSRCs that come and go, and ids that change are dealt with here and nowhere else.
public struct TransportObserver: Sendable {
    private let configuration: QualityConfiguration
    private var clock = ReportClock()
    private var path = PathDeltaTracker()
    private var leg = LegTracker()
    private var outbound = StreamTable<OutboundDeltaTracker>()
    private var inbound = StreamTable<InboundDeltaTracker>()
    private var reports: UInt64 = 0
    private var last: TransportObservation?

    private var sent = SentIntent()
    private var received = ReceivedIntent()
    private var hasReceived = false

    private var judges = (uplink: ConditionJudge(), downlink: ConditionJudge())
    private var jitter = (uplink: PathJitter(), downlink: PathJitter())
    private var queue = QueueDirection()
    private var pathTimes = PathTimes()
    /// Which directions had streams in the last report.
    private var queueShown = (sends: false, receives: false)
    private var reportSilence = ReportSilence()
    private var use = EstimateUse()
    private var loss = (uplink: SelectiveLoss(), downlink: SelectiveLoss())
    private var origin = LossOrigin()
    private var stalls = StallOrigin()
    /// The newest round trip time by RTCP, in seconds, and when it came.
    private var roundTrip: (value: Double, time: Double)?
    /// How long that counts, in ms: RTCP reports about audio come each five seconds.
    private static let roundTripMemory = 15_000.0
    private var routing = RoutingInference()
    private var stop = JointStop()

    /// In which direction its own media show a queue, for the other peer connections of the client; `nil` if they show none.
    package var queueDirection: NetworkDirection? { queue.shown }

    /// Creates an observer for a peer connection that has not been observed yet.
    public init(configuration: QualityConfiguration = QualityConfiguration()) {
        self.configuration = configuration
    }

    /// Takes the next report.
    ///
    /// - Parameters:
    ///   - report: What `getStats()` of the peer connection returned.
    ///   - intents: What is wanted of the streams on the connection; their roles distinguish the directions.
    ///   - remote: Figures from elsewhere, for a connection that receives.
    /// - Returns: What the report says; for a repeated or late one, what the last report said.
    public mutating func handle(
        _ report: StatsReport, intents: [MediaIntent] = [], remote: RemoteMetrics = RemoteMetrics()
    ) -> TransportObservation {
        handle(report, intents: intents, remote: remote, origins: [])
    }

    /// - Parameter origins: Figures from elsewhere of each entry of `inboundRTP`, where they are not all of one sender.
    mutating func handle(
        _ report: StatsReport, intents: [MediaIntent], remote: RemoteMetrics, origins: [RemoteMetrics?]
    ) -> TransportObservation {
        var result = TransportObservation(timestamp: report.timestamp)
        switch clock.judge(report.timestamp, progress: Self.progress(of: report)) {
        case .ignored:
            guard var last else { return result }
            last.tick = nil
            return last
        case .anchor(let tick):
            forgetTimes()
            result.tick = tick
        case .next(let tick):
            result.tick = tick
        }
        guard let tick = result.tick else { return result }
        reports += 1
        result.path = path.advance(to: report, tick)
        takeOutbound(report, intents, tick, &result)
        completeRoundTripTime(&result, tick)
        takeInbound(report, intents, tick, &result)
        noteUpstreamLoss(remote, origins, &result)
        routing.handle(result.outbound, result.inbound, report)
        result.routing = routing.routing
        let said = intents.lazy.compactMap(\.routing).first
        let isRouted = (said ?? routing.routing) == .routed || remote.isForwarded == true
        noteLossOrigin(isRouted: isRouted, tick, &result)
        noteStalls(report, isRouted: isRouted, tick, &result)
        stop.handle(result.inbound, at: tick)
        result.stoppedSince = stop.since
        inferSent(intents, report, &result)
        let isSaid = intents.contains { $0.audio != nil || $0.video != nil }
        let intents = isSaid ? intents : inferred(tick, result)
        let leg = remote.leg?.value(youngerThan: configuration.remoteMetricsMaxAge)
        result.legRoundTripTime = self.leg.newRoundTripTime(leg)
        // Where media go in both directions, no one knows which of them was measured.
        let isOneWay = result.outbound.isEmpty || result.inbound.isEmpty
        let timed = pathTimes.handle(isOneWay ? remote.pathTimings ?? [] : [], at: tick.time)
        noteQueue(
            report, result, tick, timed,
            elsewhere: remote.queueDirection?.value(youngerThan: RemoteMetrics.queueMemory))
        if !result.outbound.isEmpty { judgeUplink(report, intents, timed, tick, &result) }
        if !result.inbound.isEmpty {
            judgeDownlink(report, intents, leg, timed, isSaid: isSaid, tick, &result)
        }
        last = result
        return result
    }

    /// Makes no figures of the time between the last report and the next: no one observed it.
    mutating func resume() { clock.resume() }

    /// Packets of all streams in a report.
    private static func progress(of report: borrowing StatsReport) -> UInt64 {
        var sum: UInt64 = 0
        for index in report.outboundRTP.indices {
            sum = sum.addingSaturated(report.outboundRTP[index].packetsSent ?? 0)
        }
        for index in report.inboundRTP.indices {
            sum = sum.addingSaturated(report.inboundRTP[index].packetsReceived ?? 0)
        }
        return sum
    }

    private mutating func forgetTimes() {
        path.forgetTimes()
        outbound.forgetTimes()
        inbound.forgetTimes()
    }
}

extension TransportObserver {
    private mutating func judgeUplink(
        _ report: StatsReport, _ intents: [MediaIntent], _ timed: [PathSecond],
        _ tick: Tick, _ result: inout TransportObservation
    ) {
        let demand = Demand.total(of: intents, .publisher, nil)
        let queuesElsewhere = queue.direction == .downlink
        let sendsVideo = result.outbound.contains { $0.kind == .video && $0.packets?.amount ?? 0 > 0 }
        let rate = result.path.bytesSent?.perSecond.map { $0 * 8 }
        use.handle(rate: rate, estimate: result.path.estimate, at: tick, configuration.condition)
        use.handle(isFine: UplinkState.sendsFinely(report, result.outbound), at: tick)
        result.isApplicationLimited = use.isApplicationLimited
        let isOverdrawn = EstimateUse.isOverdrawn(
            rate: Self.rtpRate(result.outbound), estimate: result.path.estimate)
        let sending = UplinkState(
            report, result.outbound, intents, estimate: result.path.estimate, isOverdrawn: isOverdrawn,
            use, configuration.condition)
        loss.uplink.handle(
            result.outbound.compactMap { tick in tick.loss.map { (tick.kind, $0) } }, at: tick.time)
        reportSilence.handle(result.outbound, at: tick)
        let verdict = judges.uplink.handle(
            ConditionJudge.Input(
                tick: tick,
                samples: result.outbound.compactMap(\.loss), lostKind: loss.uplink.kind,
                bandwidth: BandwidthGrader.Input(
                    estimate: result.path.estimate, demand: demand, isWantedSent: sending.isWantedSent,
                    isLimited: sending.isLimited, isQueueing: false, hasLoss: false),
                pairRoundTripTime: queuesElsewhere ? nil : result.path.newPairRoundTripTime,
                mediaRoundTripTime: queuesElsewhere ? nil : Self.mediaRoundTripTime(result.outbound),
                jitter: jitter.uplink.steadiest(result.outbound),
                serializationDelay: Self.serializationDelay(result.outbound, estimate: result.path.estimate),
                audioJitter: Self.continuousAudio(result.outbound).compactMap(\.jitter).max(),
                pathSeconds: timed, isFree: queue.isFree,
                rate: rate,
                mediaRate: Self.mediaRate(result.outbound.map { ($0.bytes, $0.retransmittedBytes) }),
                isSent: true, isOverdrawn: isOverdrawn, isTCP: result.path.isTCP, isAdaptive: sendsVideo,
                hasVideo: sendsVideo,
                arrived: result.path.hasArrivals,
                isExpected: demand.map { $0 > 0 } ?? (result.path.bytesSent?.amount ?? 0 > 0),
                usualSilence: sendsVideo ? 0 : configuration.condition.sparseReportInterval,
                isConnected: reportSilence.isHeard.map { $0 && result.path.isConnected != false }
                    ?? result.path.isConnected,
                sizes: Self.sizes(result.outbound, report),
                hasPathChanged: result.path.hasChanged),
            configuration.condition)
        result.uplinkVerdict = verdict
        result.uplinkVerdict.lostKind = loss.uplink.kind
        result.uplinkVerdict.queuesElsewhere = queuesElsewhere
        result.uplink = TransportStats(
            verdict, estimate: result.path.estimate, demand: demand, roundTripTime: result.path.roundTripTime)
    }

    private mutating func judgeDownlink(
        _ report: StatsReport, _ intents: [MediaIntent], _ leg: SenderMetrics?,
        _ timed: [PathSecond], isSaid: Bool, _ tick: Tick, _ result: inout TransportObservation
    ) {
        let demand = Demand.total(of: intents, .subscriber, leg)
        let estimate = leg?.estimatedBandwidth?.ifSane
        let queuesElsewhere = queue.direction == .uplink
        if result.inbound.contains(where: { $0.packets?.amount ?? 0 > 0 }) { hasReceived = true }
        let receivesVideo = result.inbound.contains { $0.kind == .video && $0.packets?.amount ?? 0 > 0 }
        loss.downlink.handle(
            result.inbound.compactMap { tick in tick.ownLoss.map { (tick.kind, $0) } }, at: tick.time)
        let verdict = judges.downlink.handle(
            ConditionJudge.Input(
                tick: tick,
                samples: result.inbound.compactMap(\.ownLoss), lostKind: loss.downlink.kind,
                bandwidth: BandwidthGrader.Input(
                    estimate: estimate, demand: demand, isWantedSent: leg?.isWantedSent,
                    isLimited: leg?.isLimited, isQueueing: false, hasLoss: false),
                pairRoundTripTime: queuesElsewhere ? nil : result.path.newRoundTripTime,
                legRoundTripTime: result.legRoundTripTime,
                jitter: jitter.downlink.steadiest(result.inbound, report),
                pathSeconds: timed, isFree: queue.isFree,
                rate: result.path.bytesReceived?.perSecond.map { $0 * 8 },
                // Whose packets are lost before the server sends less for that.
                mediaRate: Self.mediaRate(
                    result.inbound.filter { $0.fractionLostBySender == nil }
                        .map { ($0.bytes, $0.retransmittedBytes) }),
                isSuppressed: leg?.isSuppressed ?? false,
                isReduced: leg?.isLimited ?? false,
                isTCP: result.path.isTCP, hasVideo: receivesVideo,
                arrived: result.path.hasArrivals,
                // Where no one says what is due: not even RTCP and connectivity checks come, which they do on hold.
                isExpected: isSaid ? intents.contains { $0.isMediaDue(leg) } : hasReceived,
                leastSilence: isSaid ? 0 : configuration.condition.checkInterval,
                isConnected: Self.isDownlinkConnected(result),
                sizes: Self.sizes(result.inbound, report),
                hasPathChanged: result.path.hasChanged),
            configuration.condition)
        result.downlinkVerdict = verdict
        result.downlinkVerdict.isWholeOutage =
            verdict.isWholeOutage || verdict.isOutage && result.uplinkVerdict.isWholeOutage
        result.downlinkVerdict.lostKind = loss.downlink.kind
        result.downlinkVerdict.queuesElsewhere = queuesElsewhere
        result.downlink = TransportStats(
            verdict, estimate: estimate, demand: demand, roundTripTime: result.path.roundTripTime)
    }
}

extension TransportObserver {
    /// Whether the downlink is connected, by what is known once the uplink is judged; `nil` if nothing is.
    ///
    /// Media that arrive show that it is, even if ICE checks fail. A far end that rests still answers checks and reports what it
    /// is sent: where what is due of that does not come, nothing does.
    private static func isDownlinkConnected(_ seen: TransportObservation) -> Bool? {
        if seen.inbound.contains(where: { $0.packets?.amount ?? 0 > 0 }) { return true }
        let isSilent = seen.uplinkVerdict.isWholeOutage && seen.path.hasArrivals == false
        return isSilent ? false : seen.path.isConnected
    }

    /// Payload that is not repeated, of all streams, in bps; `nil` while no one's is known.
    private static func mediaRate(_ streams: [(bytes: Increment?, repeated: Increment?)]) -> Double? {
        let rates = streams.compactMap { stream in
            stream.bytes?.perSecond.map { max(0, $0 - (stream.repeated?.perSecond ?? 0)) * 8 }
        }
        return rates.isEmpty ? nil : rates.reduce(0, +)
    }

    /// What all sent streams take, with headers and what is sent once more, in bps; `nil` while no one's is known.
    ///
    /// The pair carries data channels as well, which congestion control of media has no part in.
    private static func rtpRate(_ streams: [OutboundDelta]) -> Double? {
        let rates = streams.compactMap { stream in
            stream.bytes?.perSecond.map { ($0 + (stream.headerBytes?.perSecond ?? 0)) * 8 }
        }
        return rates.isEmpty ? nil : rates.reduce(0, +)
    }

    /// Sent audio that is more than comfort noise.
    private static func continuousAudio(_ streams: [OutboundDelta]) -> some Sequence<OutboundDelta> {
        streams.lazy.filter { $0.kind == .audio && $0.packets?.perSecond ?? 0 >= PacketArrivals.continuous }
    }

    /// How long a path that carries no more than is estimated takes for a packet of video, in seconds; `nil` if unknown.
    private static func serializationDelay(_ streams: [OutboundDelta], estimate: Double?) -> Double? {
        guard let estimate, estimate > 0 else { return nil }
        var (bytes, packets) = (0.0, 0.0)
        for stream in streams where stream.kind == .video {
            guard let count = stream.packets?.amount, count > 0, stream.bytes?.amount ?? 0 > 0 else {
                continue
            }
            bytes += Double(stream.bytes?.amount ?? 0) + Double(stream.headerBytes?.amount ?? 0)
            packets += Double(count)
        }
        return packets > 0 ? bytes / packets * 8 / estimate : nil
    }

    /// Sizes of all video that is sent; `nil` while none is.
    private static func sizes(_ streams: [OutboundDelta], _ report: borrowing StatsReport) -> VideoSizes? {
        var sum: VideoSizes?
        for stream in streams where stream.kind == .video && stream.bytes?.amount ?? 0 > 0 {
            let (width, height) = (
                report.outboundRTP[stream.index].frameWidth, report.outboundRTP[stream.index].frameHeight
            )
            guard let width, let height else { continue }
            sum = sum ?? VideoSizes()
            sum?.add(VideoSize(width: Int(clamping: width), height: Int(clamping: height)))
        }
        return sum
    }

    /// Sizes of all video that is received; `nil` while none is.
    private static func sizes(_ streams: [InboundDelta], _ report: borrowing StatsReport) -> VideoSizes? {
        var sum: VideoSizes?
        for stream in streams where stream.kind == .video && stream.bytes?.amount ?? 0 > 0 {
            let (width, height) = (
                report.inboundRTP[stream.index].frameWidth, report.inboundRTP[stream.index].frameHeight
            )
            guard let width, let height else { continue }
            sum = sum ?? VideoSizes()
            sum?.add(VideoSize(width: Int(clamping: width), height: Int(clamping: height)))
        }
        return sum
    }

    /// The newest round trip time by RTCP: that of video, if there is one, because a report about audio
    /// answers a sender report that may be seconds old.
    private static func mediaRoundTripTime(_ ticks: [OutboundDelta]) -> Double? {
        ticks.lazy.filter { $0.kind == .video }.compactMap(\.roundTripTime).max()
            ?? ticks.lazy.compactMap(\.roundTripTime).max()
    }

    /// Has the round trip time of media stand for the pair's, which not every engine gives: it is the same path.
    private mutating func completeRoundTripTime(_ result: inout TransportObservation, _ tick: Tick) {
        let age = max(Self.roundTripMemory, 2500 * (tick.interval ?? 0))
        if result.path.hasChanged || tick.previous == nil || tick.time - (roundTrip?.time ?? 0) > age {
            roundTrip = nil
        }
        let new = Self.mediaRoundTripTime(result.outbound)
        if let new { roundTrip = (new, tick.time) }
        guard result.path.roundTripTime == nil, let roundTrip else { return }
        result.path.roundTripTime = roundTrip.value
        result.path.roundTripTimeIsNew = new != nil
        result.path.meanRoundTripTime = result.outbound.lazy.compactMap(\.lastingRoundTripTime).min()
        result.path.isRoundTripTimeOfMedia = true
    }

    /// Notes where it queues.
    private mutating func noteQueue(
        _ report: borrowing StatsReport, _ seen: TransportObservation, _ tick: Tick, _ timed: [PathSecond],
        elsewhere: NetworkDirection?
    ) {
        let shown = (sends: !seen.outbound.isEmpty, receives: !seen.inbound.isEmpty)
        // Another path, or a clock that was set, has nothing to be compared with.
        if shown != queueShown || seen.path.hasChanged || tick.previous == nil { queue = QueueDirection() }
        queueShown = shown
        queue.handle(
            QueueDirection.Input(
                pairRoundTripTime: seen.path.newPairRoundTripTime,
                mediaRoundTripTime: Self.mediaRoundTripTime(seen.outbound),
                uplink: QueueDirection.Media(seen.outbound),
                downlink: QueueDirection.Media(seen.inbound, report),
                // Of an uplink that is not in use it says nothing.
                estimate: shown.sends ? seen.path.estimate : nil, legRoundTripTime: seen.legRoundTripTime,
                pathSeconds: timed, timed: shown.sends ? .uplink : .downlink, elsewhere: elsewhere),
            tick, configuration.condition)
    }

    /// Notes what is wanted of all that is sent, unless every intent says it.
    private mutating func inferSent(
        _ intents: [MediaIntent], _ report: borrowing StatsReport, _ result: inout TransportObservation
    ) {
        let said = intents.filter { $0.role ?? .publisher == .publisher }
        guard said.isEmpty || said.contains(where: { $0.audio == nil || $0.video == nil }) else { return }
        for index in result.outbound.indices {
            result.outbound[index].wanted = sent.infer(result.outbound[index], report)
        }
    }

    /// What is wanted, where no one says it.
    private mutating func inferred(_ tick: Tick, _ seen: TransportObservation) -> [MediaIntent] {
        var result: [MediaIntent] = []
        if !seen.outbound.isEmpty {
            var intent = MediaIntent(role: .publisher).completed(by: seen.outbound)
            // A kind of media that no one sends needs nothing.
            intent.audio = intent.audio ?? AudioIntent(enabled: false)
            intent.video = intent.video ?? VideoIntent(enabled: false)
            result.append(intent)
        }
        if !seen.inbound.isEmpty {
            result.append(received.complete(MediaIntent(role: .subscriber), seen.inbound, tick))
        }
        return result
    }

    private mutating func takeOutbound(
        _ report: borrowing StatsReport, _ intents: [MediaIntent], _ tick: Tick,
        _ result: inout TransportObservation
    ) {
        result.outbound.reserveCapacity(report.outboundRTP.count)
        for index in report.outboundRTP.indices.prefix(StreamTable<OutboundDeltaTracker>.most) {
            guard let kind = MediaKind(report.outboundRTP[index].kind) else { continue }
            let key = StreamKey.of(ssrc: report.outboundRTP[index].ssrc, id: report.outboundRTP[index].id)
            let remote = Self.remote(of: report.outboundRTP[index], in: report.remoteInboundRTP)
            let path = RetransmissionPath.of(report.outboundRTP[index], kind, intents, report)
            let entry = outbound.update(key: key, report: reports) { memory in
                var entry = memory.advance(
                    to: report.outboundRTP[index], index: index, kind: kind, path: path, tick)
                if let remote {
                    memory.advance(to: report.remoteInboundRTP[remote], path: path, tick, into: &entry)
                }
                return entry
            }
            result.outbound.append(entry)
        }
    }

    private mutating func takeInbound(
        _ report: borrowing StatsReport, _ intents: [MediaIntent], _ tick: Tick,
        _ result: inout TransportObservation
    ) {
        result.inbound.reserveCapacity(report.inboundRTP.count)
        for index in report.inboundRTP.indices.prefix(StreamTable<InboundDeltaTracker>.most) {
            guard let kind = MediaKind(report.inboundRTP[index].kind) else { continue }
            let key = StreamKey.of(ssrc: report.inboundRTP[index].ssrc, id: report.inboundRTP[index].id)
            let path = RetransmissionPath.of(report.inboundRTP[index], kind, intents, report)
            let remote = Self.remote(of: report.inboundRTP[index], in: report.remoteOutboundRTP)
            let entry = inbound.update(key: key, report: reports) { memory in
                var entry = memory.advance(
                    to: report.inboundRTP[index], index: index, kind: kind, path: path, tick)
                if let remote { memory.advance(to: report.remoteOutboundRTP[remote], into: &entry) }
                return entry
            }
            result.inbound.append(entry)
        }
        let times = result.inbound.compactMap(\.decodeTime)
        result.decodingShare = times.isEmpty ? nil : tick.interval.map { times.reduce(0, +) / $0 }
    }

    /// Notes what is lost elsewhere: a server that passes on what comes passes on what is missing.
    private func noteUpstreamLoss(
        _ remote: RemoteMetrics, _ origins: [RemoteMetrics?], _ result: inout TransportObservation
    ) {
        for index in result.inbound.indices {
            let place = result.inbound[index].index
            let origin = origins.isEmpty ? remote : place < origins.count ? origins[place] : nil
            result.inbound[index].fractionLostBeforeServer = origin?.fractionLostBeforeServer(
                youngerThan: configuration.remoteMetricsMaxAge)
        }
    }

    /// Notes which streams were lossy before they came to this path.
    ///
    /// What was held against the path until that showed was not the path's.
    private mutating func noteLossOrigin(isRouted: Bool, _ tick: Tick, _ result: inout TransportObservation) {
        let isNew = origin.handle(result.inbound, isRouted: isRouted, at: tick.time)
        for index in result.inbound.indices {
            result.inbound[index].fractionLostBySender = origin.lossy[result.inbound[index].key]
        }
        if isNew { judges.downlink.forgetLoss() }
    }

    /// Notes where streams stall that do.
    private mutating func noteStalls(
        _ report: borrowing StatsReport, isRouted: Bool, _ tick: Tick, _ result: inout TransportObservation
    ) {
        if result.path.hasChanged { stalls = StallOrigin() }
        stalls.handle(result.inbound, report, isRouted: isRouted, at: tick)
        guard !stalls.places.isEmpty else { return }
        for index in result.inbound.indices {
            result.inbound[index].stallPlace = stalls.places[result.inbound[index].key]
        }
    }

    private static func remote(
        of entry: borrowing InboundRTPStats, in remotes: [RemoteOutboundRTPStats]
    ) -> Int? {
        if let ssrc = entry.ssrc { return remotes.firstIndex { $0.ssrc == ssrc } }
        let id = entry.id
        return remotes.firstIndex { $0.localId == id }
    }

    private static func remote(
        of entry: borrowing OutboundRTPStats, in remotes: [RemoteInboundRTPStats]
    ) -> Int? {
        if let ssrc = entry.ssrc {
            return remotes.firstIndex { $0.ssrc == ssrc }
        }
        let id = entry.id
        return remotes.firstIndex { $0.localId == id }
    }
}

extension QueueDirection.Media {
    /// What the far end reports of sent media.
    fileprivate init(_ ticks: [OutboundDelta]) {
        audioJitter = ticks.lazy.filter { $0.kind == .audio }.compactMap(\.jitter).min()
        videoJitter = ticks.lazy.filter { $0.kind == .video }.compactMap(\.jitter).min()
        loss = ticks.compactMap(\.loss)
    }

    /// What is seen of received media.
    fileprivate init(_ ticks: [InboundDelta], _ report: borrowing StatsReport) {
        for tick in ticks where tick.packets?.amount ?? 0 > 0 && !tick.isResuming {
            guard let jitter = report.inboundRTP[tick.index].jitter?.ifSane else { continue }
            switch tick.kind {
            case .audio: audioJitter = min(audioJitter ?? jitter, jitter)
            case .video: videoJitter = min(videoJitter ?? jitter, jitter)
            }
        }
        for tick in ticks { transits[tick.key] = tick.transit }
        loss = ticks.compactMap(\.ownLoss)
    }
}
