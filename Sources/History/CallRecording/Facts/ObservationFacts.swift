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
        samplers[view, default: ViewSampler(view, at: observation.time)].take(observation)
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

    init(_ view: CallView.ID, at time: Double) {
        self.view = view
        from = time
        to = time
        audio = MediaSampler(.audio, view.role)
        video = MediaSampler(.video, view.role)
    }

    var facts: ConnectionFacts {
        var facts = ConnectionFacts(pc: view.peerConnection, from: from, to: to)
        facts.reports = reports
        facts.traffic.roundTripTime = roundTripTime.mean
        facts.tracks = [audio.facts, video.facts].compactMap(\.self)
        facts.establishment.isConnected = facts.tracks.contains { $0.packets ?? 0 > 0 }
        return facts
    }

    mutating func take(_ observation: CallObservation) {
        to = max(to, observation.time)
        reports += 1
        switch observation.content {
        case .publisher(let sent):
            roundTripTime.add(sent.mediaLink.first?.transport.roundTripTime)
            if let stats = sent.audio.first { audio.take(stats, at: observation.time) }
            if let stats = sent.video.first { video.take(stats, at: observation.time) }
        case .subscriber(let received):
            roundTripTime.add(received.mediaLink.transport.roundTripTime)
            if let stats = received.audio { audio.take(stats, at: observation.time) }
            if let stats = received.video { video.take(stats, at: observation.time) }
        }
    }
}

/// What one kind of media of a stream shows over time.
private struct MediaSampler: Sendable {
    private let kind: MediaKind
    private let role: StreamRole
    /// `nil` before the first figure.
    private(set) var facts: TrackFacts?
    private var jitter = MeanOf()
    private var buffer = MeanOf()
    private var concealment = MeanOf()
    private var limitations: [QualityLimitationReason: Double] = [:]

    init(_ kind: MediaKind, _ role: StreamRole) {
        self.kind = kind
        self.role = role
    }

    mutating func take(_ stats: PublisherAudioNetworkStats, at time: Double) {
        change(at: time) { sampler, track in
            sampler.note(
                &track, stats.codec, stats.audioPacketsSent, lost: stats.audioPacketsLost, stats.jitter)
            var sent = track.sent ?? SentFacts()
            if let level = stats.audioLevel, level.isFinite {
                sent.levels = (sent.levels ?? 0) + 1
                sent.lowestLevel = min(sent.lowestLevel ?? level, level)
                sent.highestLevel = max(sent.highestLevel ?? level, level)
            }
            track.sent = sent
        }
    }

    mutating func take(_ stats: PublisherVideoNetworkStats, at time: Double) {
        change(at: time) { sampler, track in
            let layer = stats.videoLayers.first
            sampler.note(
                &track, layer?.codec, stats.videoPacketsSent, lost: stats.videoPacketsLost, stats.jitter)
            track.frames = stats.framesSent ?? track.frames
            guard let reason = layer?.qualityLimitationReason else { return }
            sampler.limitations[reason, default: 0] += 1
            let all = sampler.limitations.values.reduce(0, +)
            var sent = track.sent ?? SentFacts()
            sent.limitedByCPU = (sampler.limitations[.cpu] ?? 0) / all
            sent.limitedByBandwidth = (sampler.limitations[.bandwidth] ?? 0) / all
            track.sent = sent
        }
    }

    mutating func take(_ stats: SubscriberAudioNetworkStats, at time: Double) {
        change(at: time) { sampler, track in
            sampler.note(
                &track, stats.codec, stats.audioPacketsReceived, lost: stats.audioPacketsLost, stats.jitter)
            sampler.buffer.add(stats.jitterBufferDelay)
            sampler.concealment.add(stats.concealment)
            var received = track.received ?? ReceivedFacts()
            received.bufferDelay = sampler.buffer.mean
            received.audiblyConcealed = sampler.concealment.mean
            track.received = received
        }
    }

    mutating func take(_ stats: SubscriberVideoNetworkStats, at time: Double) {
        change(at: time) { sampler, track in
            sampler.note(
                &track, stats.codec, stats.videoPacketsReceived, lost: stats.videoPacketsLost, stats.jitter)
            var received = track.received ?? ReceivedFacts()
            received.freezes = stats.freezeCount ?? received.freezes
            received.freezeTime = stats.totalFreezesDuration.map { $0 / 1000 } ?? received.freezeTime
            received.pauses = stats.pauseCount ?? received.pauses
            received.pauseTime = stats.totalPausesDuration.map { $0 / 1000 } ?? received.pauseTime
            track.received = received
        }
    }

    private mutating func change(
        at time: Double, _ change: (inout MediaSampler, inout TrackFacts) -> Void
    ) {
        var track = facts ?? TrackFacts(kind: kind, role: role, from: time, to: time)
        track.to = max(track.to, time)
        track.reports += 1
        change(&self, &track)
        facts = track
    }

    private mutating func note(
        _ track: inout TrackFacts, _ codec: String?, _ packets: UInt64?, lost: UInt64?, _ seconds: Double?
    ) {
        track.codec = codec ?? track.codec
        track.packets = packets ?? track.packets
        jitter.add(seconds)
        track.jitter = jitter.mean
        guard let packets, let lost else { return }
        let all = role == .publisher ? Double(packets) : Double(packets) + Double(lost)
        if all > 0 { track.fractionLost = min(Double(lost) / all, 1) }
    }
}
