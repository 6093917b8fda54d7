// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import WebRTCStats

// MARK: - What the router says

extension LiveSession {
    mutating func reported(_ leg: Leg, _ report: LegReport) {
        guard let endpoint = endpoints[leg.endpoint], let stream = streams[endpoint.stream] else { return }
        let states = report.stats.transports.map(\.iceState)
        if states.contains(.connected) || states.contains(.completed) {
            legs.change(leg.id) { $0.connectBy = nil }
        }
        let time = now.elapsed
        legs.change(leg.id) { $0.reports.noteRouter(at: time) }
        judge(leg, endpoint, report, stream.content)
        var facts = LegMetrics(
            leg: leg.name, capturedAt: now.unix, levels: quality.seenLevels(of: endpoint.id))
        switch endpoint.role {
        case .subscription:
            endpoints.changeSubscription(of: endpoint.id) { $0.wanted = report.policy?.wanted }
            facts.sender = SenderMetrics(report)
            facts.publisher = publisherFacts(of: stream)
            facts.uplink = seenUplink(of: stream)
        case .publication:
            facts.largestWantedLayer = largestWantedLayer(of: stream)
        }
        // The leg that replaces it may take another path.
        if endpoint.legs.current == leg.id { facts.pathTiming = report.pathTiming }
        facts.networkDegradationSource = comparedSide(of: endpoint)
        // Who judges nothing itself has no use for them.
        let isJudgedHere = analysts.take(facts, of: endpoint.id, at: now.elapsed)
        if endpoint.testsNetwork {
            // Four times a second, over a network that may carry hardly anything: what a test needs, and no more.
            var counted = LegMetrics(leg: leg.name, capturedAt: now.unix)
            counted.count(report.stats)
            send(counted, of: endpoint.kind, to: leg.client)
        } else if !isJudgedHere {
            notify(leg.client, .facts(facts))
        }
    }

    private func publisherFacts(of stream: PublishedStream) -> LegMetrics.Publisher? {
        guard let dated = stream.sample else { return nil }
        let age = (now.elapsed - dated.receivedAt).milliseconds
        let sample = stream.senderStatsTrack ? dated.sample : dated.sample.judgements
        return LegMetrics.Publisher(capturedAt: dated.capturedAt, age: age, sample: sample)
    }

    private func largestWantedLayer(of stream: PublishedStream) -> String? {
        stream.subscriptions
            .compactMap { endpoints[$0]?.subscription?.wanted }
            .max { ($0.area, $0.rid ?? "") < ($1.area, $1.rid ?? "") }?.rid
    }
}

extension LayerFigures {
    /// Pixels; 0 while the size is unknown.
    fileprivate var area: Double { Double(width ?? 0) * Double(height ?? 0) }
}

extension LayerIntent {
    /// A layer that arrives, as one that may be wanted: with what it takes.
    fileprivate init(_ layer: LayerFigures) {
        self.init(rid: layer.rid, maximumBitrate: layer.bitrate)
        if let width = layer.width, let height = layer.height {
            size = VideoSize(width: width, height: height)
        }
    }
}

extension SenderMetrics {
    /// Reads the router's end of a subscription.
    init(_ report: LegReport) {
        let pair = report.stats.selectedCandidatePair
        let roundTrip = RoundTrip(report.stats, pair)
        let video = report.stats.outboundRTP.filter { $0.kind == .video }.compactMap(\.framesSent)
        self.init(
            estimatedBandwidth: pair?.availableOutgoingBitrate,
            maximumAllocatedBitrate: report.policy?.maximumBitrate,
            wantedLayer: report.policy?.wanted.map(LayerIntent.init),
            sentLayer: report.policy?.sent.map(LayerIntent.init),
            reason: report.policy?.reason,
            videoFramesSent: video.isEmpty ? nil : video.reduce(0, &+),
            roundTripTime: roundTrip.time, roundTripTimeMeasurements: roundTrip.measurements,
            lowestLayer: report.layers.first { $0.sending == true }.map(LayerIntent.init))
    }

    /// The newest round trip time in a report, and how often that kind was measured.
    ///
    /// Receiver reports of video measure once a second and oftener, connectivity checks every few seconds; but without
    /// video the checks are all there is.
    private struct RoundTrip {
        /// RTCP older than this, in ms, measures less often than connectivity checks do.
        private static let freshness = 2500.0

        var time: Double?
        var measurements: UInt64?

        init(_ stats: StatsReport, _ pair: CandidatePairStats?) {
            let media = stats.remoteInboundRTP
                .filter { $0.roundTripTime != nil && $0.roundTripTimeMeasurements ?? 1 > 0 }
                .max { $0.timestamp < $1.timestamp }
            if let media,
                pair?.currentRoundTripTime == nil || stats.timestamp - media.timestamp < Self.freshness
            {
                time = media.roundTripTime
                measurements = media.roundTripTimeMeasurements
            } else {
                time = pair?.currentRoundTripTime
                measurements = pair?.responsesReceived
            }
        }
    }
}

// MARK: - What clients say

extension LiveSession {
    mutating func take(_ telemetry: Telemetry, id: Int, _ member: Identity) throws(ServerError) {
        let names = names(of: member)
        guard telemetry.events.allSatisfy({ names.flow(of: $0.leg) != nil }) else {
            throw ServerError(.unknownLeg, "an event is about an unknown leg")
        }
        try paceEvents(telemetry, member)
        var events =
            try members.change(member.client) { member throws(ServerError) in
                try member.complete(telemetry)
            } ?? []
        let measured = events.map(\.capturedAt)
        let newest = measured.map { elapsed - $0 }.min()
        let (arrival, longest) = (now.elapsed, timeouts.telemetryDelay)
        let offset =
            members.change(member.client) { $0.clock.take(newest, longest: longest, at: arrival) } ?? 0
        for index in events.indices { take(&events[index], offset: offset, from: member) }
        keep(events, measured: measured, id: id, from: member)
    }

    /// Turns an event's times into the server's, and has it judged if the client does not judge itself.
    ///
    /// From here on, times are the server's: a client whose clock is wrong, or lies, misplaces nothing. What is newer is
    /// decided without the wall clock, which may be set back.
    private mutating func take(_ event: inout MeasuredEvent, offset: Double, from member: Identity) {
        let measured = event.capturedAt
        let age = max(0, elapsed - (measured + offset)).rounded()
        let captured = now.elapsed - .milliseconds(age)
        event.capturedAt = now.unix - age
        let isNew = members.change(member.client) { $0.events.insert(event.eventId) } == true
        switch event.content {
        case .sample(var sample):
            sample.date(to: event.capturedAt, from: measured)
            event.content = .sample(sample)
        case .report(let report, _):
            guard mayJudge(report, of: member),
                var judged = analyse(report, of: event.leg, from: member, measured: captured)
            else { break }
            // A page compares it with its own clock.
            if isNew { notify(judged.sample, of: event.leg, member) }
            judged.sample.date(to: event.capturedAt, from: report.timestamp)
            event.content = .report(report, judged: judged)
        }
        if isNew { note(event, captured, from: member) }
    }

    /// ``CoreTime/elapsed``, ms.
    private var elapsed: Double { now.elapsed.milliseconds }

    /// RTP streams of a report that are not counted: more than a leg has, by far.
    private static let freeTracks = 16

    /// Whether a report may be judged, which takes time for each of its streams.
    private mutating func mayJudge(_ report: StatsReport, of member: Identity) -> Bool {
        let tracks = report.inboundRTP.count + report.outboundRTP.count + report.remoteInboundRTP.count
        let (cost, time) = (max(0, tracks - Self.freeTracks), now.elapsed)
        return members.change(member.client) { $0.takes(.reportedTrack, cost: cost, at: time) } == true
    }

    /// Counts the events of each leg; of those that are over together, for a client may have had any number.
    private mutating func paceEvents(_ telemetry: Telemetry, _ member: Identity) throws(ServerError) {
        let names = names(of: member)
        let counts = telemetry.events.reduce(into: [UInt64: Int]()) { counts, event in
            // What happened in a sample is stored as rows of its own.
            counts[names.number(of: event.leg) ?? 0, default: 0] += 1 + event.eventCount
        }
        let isAllowed = counts.allSatisfy { leg, count in
            members[member.client]?.rates.allows(.telemetry, of: leg, cost: count, at: now.elapsed) == true
        }
        guard isAllowed else {
            throw ServerError(.tooMany, "a leg's telemetry comes too often: once a second is enough")
        }
        for (leg, count) in counts { try pace(.telemetry, of: leg, cost: count, by: member.client) }
    }

    /// Keeps what subscribers may be shown.
    private mutating func note(_ event: MeasuredEvent, _ captured: Duration, from member: Identity) {
        guard let sample = event.sample else { return }
        if let relay = names(of: member).relays[event.leg] {
            guard let relay = relays[relay] else { return }
            let isPublisher = relay.end(event.leg, of: member.client) == .publisher
            judge(event, captured, of: isPublisher ? relay.publication : relay.subscription)
            guard isPublisher else { return }
            let dated = dated(event, captured, sample)
            relays.change(relay.id) { $0.sample = dated }
            return passOn(event, sample, captured, of: relay)
        }
        guard let leg = leg(event.leg, of: member), let endpoint = endpoints[leg.endpoint] else { return }
        judge(event, captured, of: endpoint.id)
        align(leg, endpoint, measured: captured)
        guard endpoint.kind == .publisher else { return }
        let dated = dated(event, captured, sample)
        streams.change(endpoint.stream) { $0.take(dated) }
    }

    /// Has the router report a leg a little before its client does.
    private mutating func align(_ leg: Leg, _ endpoint: Endpoint, measured: Duration) {
        guard leg.phase == .up, !endpoint.testsNetwork else { return }
        let time = now.elapsed
        let wait = legs.change(leg.id) { $0.reports.noteClient(measured: measured, at: time) } ?? nil
        if let wait { ask(.align(LegAlignment(leg: leg.id.name, seconds: wait.seconds))) }
    }

    private func dated(
        _ event: MeasuredEvent, _ captured: Duration, _ sample: StreamSample
    ) -> DatedSample {
        .init(
            capturedAt: event.capturedAt, captured: captured, receivedAt: now.elapsed,
            sample: sample.forSubscribers)
    }
}

extension StreamSample {
    /// Turns its times into those of the server's clock.
    ///
    /// - Parameters:
    ///   - time: When it was captured by the server's clock, Unix ms.
    ///   - measured: When it was captured by the clock of its times.
    mutating func date(to time: Double, from measured: Double) {
        guard let since = diagnosis?.since else { return }
        diagnosis?.since = max(0, time - max(0, measured - since))
    }
}
