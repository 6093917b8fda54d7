// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import WebRTCStats

// MARK: - What the router says

extension ServerCore {
    mutating func reported(_ leg: ServerLeg, _ report: LegReport) {
        guard let slot = slots[leg.slot], let stream = sessions[slot.session]?.streams[slot.stream] else {
            return
        }
        let states = report.stats.transports.map(\.iceState)
        if states.contains(.connected) || states.contains(.completed) { legs[leg.id]?.connectBy = nil }
        judge(leg, report, stream.content)
        var facts = LegMetrics(leg: leg.name, capturedAt: now.unix, levels: seenLevels(of: leg.slot))
        switch slot.kind {
        case .subscriber:
            slots[leg.slot]?.wanted = report.policy?.wanted
            facts.sender = SenderMetrics(report)
            if stream.senderStatsTrack { facts.publisher = publisherFacts(of: stream) }
            facts.uplink = seenUplink(of: stream)
        case .publisher:
            var uplink = leg.uplink
            let loss = uplink.handle(report.stats)
            legs[leg.id]?.uplink = uplink
            facts.receiver = LegMetrics.Receiver(
                layers: report.layers.filter(\.isPresent).map(LegMetrics.Layer.init), lossFraction: loss,
                largestWantedLayer: largestWantedLayer(of: stream))
        }
        if slot.testsNetwork { facts.count(report.stats) }
        analysts[leg.slot]?[leg.slot]?.take(facts, at: now.elapsed)
        tell(leg.socket, .facts(facts))
    }

    private func publisherFacts(of stream: ServerStream) -> LegMetrics.Publisher? {
        guard let dated = stream.sample else { return nil }
        let age = (now.elapsed - dated.receivedAt) / .milliseconds(1)
        return LegMetrics.Publisher(capturedAt: dated.capturedAt, age: age, sample: dated.sample)
    }

    private func largestWantedLayer(of stream: ServerStream) -> String? {
        stream.subscriptions
            .compactMap { slots[$0]?.wanted }
            .max { ($0.area, $0.rid ?? "") < ($1.area, $1.rid ?? "") }?.rid
    }
}

extension ReportedLayer {
    /// Pixels; 0 while the size is unknown.
    fileprivate var area: Double { Double(width ?? 0) * Double(height ?? 0) }
}

extension LayerIntent {
    /// A layer that arrives, as one that may be wanted: with what it takes.
    fileprivate init(_ layer: ReportedLayer) {
        self.init(rid: layer.rid, maximumBitrate: layer.bitrate)
        if let width = layer.width, let height = layer.height {
            size = VideoSize(width: width, height: height)
        }
    }
}

extension LegMetrics.Layer {
    init(_ layer: ReportedLayer) {
        self.init(rid: layer.rid, width: layer.width, height: layer.height, bitrate: layer.bitrate)
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
            lowestLayer: report.layers.first(where: \.isPresent).map(LayerIntent.init))
    }

    /// The newest round trip time in a report, and how often that kind was measured.
    ///
    /// Receiver reports of video measure once a second and oftener, connectivity checks every few seconds;
    /// but without video the checks are all there is.
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

extension ServerCore {
    mutating func take(_ telemetry: Telemetry, id: Int, from socket: SocketID) throws(ServerError) {
        guard let client = clients[socket] else { return }
        guard telemetry.events.allSatisfy({ client.flow(of: $0.leg) != nil }) else {
            throw ServerError(.unknownLeg, "an event is about a leg that never was")
        }
        try paceEvents(telemetry, from: socket, client)
        let measured = telemetry.events.map(\.capturedAt)
        let offset = clockOffset(telemetry, of: socket)
        var telemetry = telemetry
        for index in telemetry.events.indices {
            // From here on, times are the server's: a client whose clock is wrong, or lies, misplaces
            // nothing. What is newer is decided without the wall clock, which may be set back.
            let age = max(0, elapsed - (measured[index] + offset)).rounded()
            let captured = now.elapsed - .milliseconds(age)
            let time = now.unix - age
            telemetry.events[index].capturedAt = time
            if let since = telemetry.events[index].sample?.diagnosis?.since {
                telemetry.events[index].sample?.diagnosis?.since =
                    max(0, time - max(0, measured[index] - since))
            }
            let event = telemetry.events[index]
            let isNew = clients[socket]?.events.insert(event.eventId) == true
            telemetry.events[index].sample = event.sample ?? analyse(event, from: client)
            if isNew { note(telemetry.events[index], captured, from: client, socket) }
        }
        keep(telemetry, measured: measured, id: id, from: socket)
    }

    /// ``CoreTime/elapsed``, ms.
    private var elapsed: Double { now.elapsed / .milliseconds(1) }

    /// What to add to a client's times to have ``CoreTime/elapsed``, ms.
    ///
    /// The least that any event took to arrive, so what was held up on the way keeps its place in time. It
    /// begins again when nothing can have been held up for that long.
    private mutating func clockOffset(_ telemetry: Telemetry, of socket: SocketID) -> Double {
        let before = clients[socket]?.clockOffset
        guard let newest = telemetry.events.map({ elapsed - $0.capturedAt }).min() else {
            return before ?? 0
        }
        let longest = timeouts.telemetryDelay / .milliseconds(1)
        let offset = before.map { newest - $0 > longest ? newest : min($0, newest) } ?? newest
        clients[socket]?.clockOffset = offset
        return offset
    }

    /// Counts the events of each leg; of those that are over together, for a client may have had any number.
    private mutating func paceEvents(
        _ telemetry: Telemetry, from socket: SocketID, _ client: ServerClient
    ) throws(ServerError) {
        let counts = telemetry.events.reduce(into: [UInt64: Int]()) { counts, event in
            counts[client.number(of: event.leg) ?? 0, default: 0] += 1
        }
        let isAllowed = counts.allSatisfy { leg, count in
            client.rates.allows(.telemetry, of: leg, cost: count, at: now.elapsed)
        }
        guard isAllowed else {
            throw ServerError(.tooMany, "a leg's telemetry comes too often: once a second is enough")
        }
        for (leg, count) in counts { try pace(.telemetry, of: leg, cost: count, by: socket) }
    }

    /// Keeps what subscribers may be shown.
    private mutating func note(
        _ event: TelemetryEvent, _ captured: Duration, from client: ServerClient, _ socket: SocketID
    ) {
        if let sample = event.sample, let relay = client.relays[event.leg] {
            judge(event, captured, of: relay, from: socket)
            if relays[relay]?.publisher == socket, relays[relay]?.publisherLeg == event.leg {
                let dated = dated(event, captured, sample)
                relays[relay]?.sample = dated
            }
            return passOn(event, sample, captured, of: relay, from: socket)
        }
        guard let sample = event.sample, let leg = client.legs[event.leg], let slot = legs[leg]?.slot,
            let place = slots[slot]
        else { return }
        judge(event, captured, of: slot, place.kind)
        guard place.kind == .publisher else { return }
        let last = sessions[place.session]?.streams[place.stream]?.sample
        // Events may arrive out of order after a reconnect; the newest counts.
        if let last, last.captured > captured { return }
        let dated = dated(event, captured, sample)
        sessions[place.session]?.streams[place.stream]?.sample = dated
    }

    private func dated(
        _ event: TelemetryEvent, _ captured: Duration, _ sample: StreamSample
    ) -> ServerStream.DatedSample {
        .init(
            capturedAt: event.capturedAt, captured: captured, receivedAt: now.elapsed,
            sample: sample.forSubscribers)
    }
}

extension StreamSample {
    /// What a stream's subscribers need of its publisher's figures.
    var forSubscribers: StreamSample {
        var sample = self
        sample.events = nil
        sample.video?.layers = nil
        return sample
    }
}
