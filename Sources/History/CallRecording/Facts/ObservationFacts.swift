// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Gathers what a stored call shows as a whole, of its observations: the reports that those were made of are not kept.
///
/// The same findings and the same score as of a recording, as far as observations tell. Pure. What comes must come in the order
/// of its times.
package struct ObservationFacts: Sendable {
    private let configuration: QualityConfiguration
    private var samplers: [CallView.ID: ViewSampler] = [:]
    private var order: [CallView.ID] = []
    private var trace: [Int: [TraceEvent]] = [:]
    private var builder: ScoreBuilder

    /// Creates one that has seen nothing.
    ///
    /// - Parameter configuration: What is judged by.
    package init(configuration: QualityConfiguration = QualityConfiguration()) {
        self.configuration = configuration
        builder = ScoreBuilder(configuration)
    }

    /// Takes the next observation of a view, whose ``CallView/ID/recording`` is the participant's place.
    package mutating func take(_ observation: CallObservation, of view: CallView.ID) {
        if samplers[view] == nil { order.append(view) }
        let filled = configuration.condition.filledEstimate
        samplers[view, default: ViewSampler(view, filled: filled, at: observation.time)].take(observation)
        builder.take(observation, of: view)
    }

    /// Takes something that happened in a participant's page or app.
    package mutating func take(_ event: TraceEvent, of participant: Int) {
        trace[participant, default: []].append(event)
    }

    /// What is known of each participant, in the order of their places.
    package var facts: CallFacts {
        let participants = Set(order.map(\.recording)).union(trace.keys).sorted()
        return CallFacts(clients: participants.map(client))
    }

    /// What is worth knowing about the call; what matters most first.
    package var findings: [Finding] {
        FindingJudge(rules: configuration.finding).findings(in: facts)
    }

    /// How good the call was, as one number.
    package var score: CallScore { builder.score(facts) }

    private func client(_ participant: Int) -> ClientFacts {
        var client = ClientFacts(recording: participant)
        client.note(trace[participant] ?? [])
        client.connections = order.filter { $0.recording == participant }.compactMap { samplers[$0]?.facts }
        let times =
            client.connections.flatMap { [$0.from, $0.to] } + [client.from, client.to].compactMap(\.self)
        client.from = times.min()
        client.to = times.max()
        return client
    }
}

/// What one end of a stream shows over time.
private struct ViewSampler: Sendable {
    private let view: CallView.ID
    private let from: Double
    private var to: Double
    private var reports = 0
    private var roundTripTime = MeanOf()
    private var audio: MediaSampler
    private var video: MediaSampler
    private var room: EstimateRoom

    init(_ view: CallView.ID, filled: Double, at time: Double) {
        self.view = view
        room = EstimateRoom(filled: filled)
        from = time
        to = time
        audio = MediaSampler(.audio, view.role)
        video = MediaSampler(.video, view.role)
    }

    var facts: ConnectionFacts {
        var facts = ConnectionFacts(pc: view.peerConnection, from: from, to: to)
        facts.reports = reports
        facts.traffic.roundTripTime = roundTripTime.mean
        facts.tracks = [audio.result, video.result].compactMap(\.self)
        facts.establishment.isConnected = facts.tracks.contains { $0.packets ?? 0 > 0 }
        return facts
    }

    mutating func take(_ observation: CallObservation) {
        to = max(to, observation.time)
        reports += 1
        let sample = observation.sample
        roundTripTime.add(sample.roundTripTime)
        let hasRoom = room.handle(sample, at: observation.time)
        if let figures = sample.audio { audio.take(figures, hasRoom: hasRoom, at: observation.time) }
        if let figures = sample.video { video.take(figures, hasRoom: hasRoom, at: observation.time) }
    }
}

/// Whether congestion control has room for much more than is sent, so that it is no limit whatever an engine says: see
/// ``EncoderLimits``, which knows it of whole reports.
private struct EstimateRoom: Sendable {
    /// Share of an estimate of which less is used where it is no limit.
    private let filled: Double
    private var last: (time: Double, bytes: Double)?

    /// RTP with a usual number of extensions, which congestion control counts, in bytes for each packet.
    private static let header = 20.0

    init(filled: Double) { self.filled = filled }

    /// Takes what was sent by a time; returns whether there was room beside what was sent since the last one.
    ///
    /// Of several layers one may be off for which it is too little.
    mutating func handle(_ sample: StreamSample, at time: Double) -> Bool {
        var bytes = 0.0
        for figures in [sample.audio, sample.video].compactMap(\.self) {
            bytes += Double(figures.bytes ?? 0) + Self.header * Double(figures.packets ?? 0)
        }
        defer { last = (time, bytes) }
        guard sample.video?.layers == nil, let estimate = sample.connectionEstimatedBandwidth,
            sample.video?.bytes != nil, let last, time > last.time, bytes > last.bytes
        else { return false }
        return (bytes - last.bytes) * 8 / ((time - last.time) / 1000) < filled * estimate
    }
}

/// What one kind of media of a stream shows over time.
private struct MediaSampler: Sendable {
    private let kind: MediaKind
    private let role: StreamRole
    /// `nil` before the first figure.
    private var facts: TrackFacts?
    private var jitter = MeanOf()
    private var buffer = MeanOf()
    private var concealment = MeanOf()
    private var avSync = MedianOf()
    private var limitations: [QualityLimitationReason: Double] = [:]

    /// The facts so far; `nil` before the first figure.
    var result: TrackFacts? {
        var facts = facts
        facts?.received?.avSync = avSync.median
        return facts
    }

    init(_ kind: MediaKind, _ role: StreamRole) {
        self.kind = kind
        self.role = role
    }

    mutating func take(_ figures: MediaFigures, hasRoom: Bool, at time: Double) {
        var track = facts ?? TrackFacts(kind: kind, role: role, from: time, to: time)
        track.to = max(track.to, time)
        track.reports += 1
        note(figures, &track)
        switch role {
        case .publisher: noteSent(figures, hasRoom: hasRoom, &track)
        case .subscriber: noteReceived(figures, &track)
        }
        facts = track
    }

    private mutating func note(_ figures: MediaFigures, _ track: inout TrackFacts) {
        track.codec = figures.codec ?? track.codec
        track.packets = figures.packets ?? track.packets
        jitter.add(figures.jitter)
        track.jitter = jitter.mean
        guard let packets = figures.packets.map(Double.init),
            let lost = figures.packetsLost.map({ Double(max(0, $0)) })
        else { return }
        let all = role == .publisher ? packets : packets + lost
        if all > 0 { track.fractionLost = min(lost / all, 1) }
    }

    private mutating func noteSent(_ figures: MediaFigures, hasRoom: Bool, _ track: inout TrackFacts) {
        var sent = track.sent ?? SentFacts()
        track.frames = figures.framesSent ?? track.frames
        if let level = figures.audioLevel, level.isFinite {
            sent.levels = (sent.levels ?? 0) + 1
            sent.lowestLevel = min(sent.lowestLevel ?? level, level)
            sent.highestLevel = max(sent.highestLevel ?? level, level)
        }
        if let said = figures.qualityLimitationReason {
            let reason = said == .bandwidth && hasRoom ? QualityLimitationReason.none : said
            limitations[reason, default: 0] += 1
            let all = limitations.values.reduce(0, +)
            sent.limitedByCPU = (limitations[.cpu] ?? 0) / all
            sent.limitedByBandwidth = (limitations[.bandwidth] ?? 0) / all
        }
        track.sent = sent
    }

    private mutating func noteReceived(_ figures: MediaFigures, _ track: inout TrackFacts) {
        buffer.add(figures.jitterBufferDelay)
        concealment.add(figures.concealment)
        avSync.add(figures.avSync)
        var received = track.received ?? ReceivedFacts()
        received.bufferDelay = buffer.mean
        received.audiblyConcealed = concealment.mean
        received.freezes = figures.freezeCount.map { UInt64(clamping: $0) } ?? received.freezes
        received.freezeTime = figures.totalFreezesDuration.map { $0 / 1000 } ?? received.freezeTime
        received.pauses = figures.pauseCount.map { UInt64(clamping: $0) } ?? received.pauses
        received.pauseTime = figures.totalPausesDuration.map { $0 / 1000 } ?? received.pauseTime
        track.received = received
    }
}
