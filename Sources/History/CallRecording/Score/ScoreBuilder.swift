// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Adds up what each second of a call cost.
struct ScoreBuilder: Sendable {
    private let rules: ScoreRules
    private let experience: ExperienceRules
    /// How long nothing has come before that is known to be an outage, in seconds.
    private let outage: Double
    private var clients: [Int: ClientTally] = [:]

    init(_ configuration: QualityConfiguration = QualityConfiguration()) {
        rules = configuration.score
        experience = configuration.experience
        outage = configuration.condition.outage
    }

    /// Takes the next observation of a view; those of single tracks are in that of the whole.
    mutating func take(_ observation: CallObservation, of view: CallView.ID) {
        guard view.track == nil else { return }
        clients[view.recording, default: ClientTally(outage: outage)]
            .take(observation, of: view, rules, experience)
    }

    /// The score of what was observed, and of what the facts say of connections.
    func score(_ facts: CallFacts) -> CallScore {
        var participants: [ParticipantScore] = []
        for client in facts.clients {
            var tally = clients[client.recording] ?? ClientTally(outage: outage)
            tally.settle()
            participants += [participant(client, tally)].compactMap(\.self)
        }
        return CallScore(participants: participants)
    }

    private func participant(_ client: ClientFacts, _ tally: ClientTally) -> ParticipantScore? {
        let audio = tally.part(\.audio, rules)
        let video = tally.part(\.video, rules)
        let connectivity = connectivity(client, tally).part(rules)
        let parts = [(audio, rules.audio), (video, rules.video), (connectivity, rules.connectivity)]
        let known = parts.compactMap { part, weight in part.map { (score: $0.score, weight: weight) } }
        let weight = known.reduce(0) { $0 + $1.weight }
        guard weight > 0 else { return nil }
        return ParticipantScore(
            recording: client.recording, score: known.reduce(0) { $0 + $1.score * $1.weight } / weight,
            audio: audio, video: video, connectivity: connectivity)
    }

    /// Moments of the views, and what connecting took of each connection.
    private func connectivity(_ client: ClientFacts, _ tally: ClientTally) -> MediumTally {
        var time = tally.connected
        let isEverConnected = client.connections.contains { $0.establishment.isConnected }
        for connection in client.connections where connection.events > 0 {
            if connection.isMissed, !isEverConnected {
                let end = max(connection.to, connection.from + 1000)
                time.add(.missed, from: connection.from, to: end, of: connection.pc)
            } else if let delay = connection.establishment.connectDelay {
                let begin = connection.establishment.connectedAt.map { $0 - 1000 * delay } ?? connection.from
                let late = begin + 1000 * min(delay, rules.connectDelayThreshold)
                time.add(.connected, from: begin, to: late, of: connection.pc)
                time.add(.late, from: late, to: begin + 1000 * delay, of: connection.pc)
            }
            if let broken = connection.brokenAt {
                time.add(.broken, from: broken, to: connection.to, of: connection.pc)
            }
        }
        return time.tally
    }
}

/// What was observed of one participant.
private struct ClientTally: Sendable {
    /// Sums of the views of a role.
    struct Media: Sendable {
        var audio = MediumTally()
        var video = MediumTally()
    }

    private(set) var connected = ConnectedTime()
    private var media: [StreamRole: Media] = [:]
    private var last: [CallView.ID: (time: Double, frozen: Double?)] = [:]
    private var outages: [CallView.ID: OutageSeconds] = [:]
    private let outage: Double

    init(outage: Double) { self.outage = outage }

    mutating func take(
        _ observation: CallObservation, of view: CallView.ID, _ rules: ScoreRules,
        _ experience: ExperienceRules
    ) {
        let sample = observation.sample
        let frozen = sample.video?.totalFreezesDuration
        defer { last[view] = (observation.time, frozen) }
        guard let before = last[view], observation.time > before.time else { return }
        let from = max(before.time, observation.time - rules.longestReport * 1000)
        let seconds = (observation.time - from) / 1000
        let second = JudgedSecond(
            sample, observation.diagnosis,
            frozen: frozen.flatMap { now in before.frozen.map { max(0, now - $0) / 1000 / seconds } },
            experience)
        let judged = JudgedTime(second: second, from: from, to: observation.time)
        // What is sent shows nothing of what gets through.
        guard view.role == .subscriber else { return add(judged, view) }
        let known = outages[view, default: OutageSeconds(least: outage)].handle(judged, sample)
        for one in known { add(one, view) }
    }

    /// Takes what waits for what would have been said next.
    ///
    /// In an order of its own: sums of the same seconds in another one differ in their last digits.
    mutating func settle() {
        for view in outages.keys.sorted(by: { $0.peerConnection < $1.peerConnection }) {
            for one in outages[view]?.settle() ?? [] { add(one, view) }
        }
    }

    private mutating func add(_ judged: JudgedTime, _ view: CallView.ID) {
        let (second, seconds) = (judged.second, judged.seconds)
        let cause = CostCause.diagnosed(second.cause)
        var sums = media[view.role] ?? Media()
        if second.hasAudio { sums.audio.add(seconds, cause, second.audio, at: judged.to) }
        if second.hasVideo { sums.video.add(seconds, cause, second.video, at: judged.to) }
        media[view.role] = sums
        // What is not known is neither connected nor not.
        guard second.cause != .unknown else { return }
        connected.add(
            second.cause == .connection ? .lost : .connected, from: judged.from, to: judged.to, of: view)
    }

    /// A medium's part: of what was received, or where nothing was, of what was sent.
    func part(_ medium: KeyPath<Media, MediumTally>, _ rules: ScoreRules) -> ScorePart? {
        media[.subscriber]?[keyPath: medium].part(rules) ?? media[.publisher]?[keyPath: medium].part(rules)
    }
}

/// One report's severities, by medium.
struct JudgedSecond: Sendable {
    private(set) var cause: Diagnosis.Cause
    let hasAudio: Bool
    let hasVideo: Bool
    private(set) var audio: Diagnosis.Severity?
    private(set) var video: Diagnosis.Severity?

    /// The same where nothing got through.
    var out: JudgedSecond {
        var result = self
        result.cause = .connection
        result.audio = .unusable
        result.video = .unusable
        return result
    }

    /// - Parameter diagnosis: With its track, which a sample does not keep.
    init(_ sample: StreamSample, _ diagnosis: Diagnosis, frozen: Double?, _ rules: ExperienceRules) {
        cause = diagnosis.cause
        let isKnown = diagnosis.cause != .unknown
        let severity = diagnosis.cause.isProblem ? diagnosis.severity : nil
        let concealment = sample.audio?.concealment
        let heard = concealment.flatMap {
            Diagnosis.Severity(grade: rules.concealment.grade(lowerIsBetter: $0))
        }
        let seen = frozen.flatMap { Diagnosis.Severity(grade: rules.frozen.grade(lowerIsBetter: $0)) }
        hasAudio = sample.audio != nil && (isKnown || concealment != nil)
        hasVideo = sample.video != nil && (isKnown || frozen != nil)
        // A broken or long path spoils both; gaps in audio say themselves how bad they are.
        let isShared = [.connection, .latency].contains(diagnosis.cause)
        let isAudio = diagnosis.track.map { $0.kind == .audio } ?? (concealment == nil || isShared)
        audio = [heard, isAudio ? severity : nil].compactMap(\.self).max()
        let isExplained = !isShared && heard.map { $0 >= severity ?? .noticeable } ?? false
        let isVideo = diagnosis.track.map { $0.kind == .video } ?? !isExplained
        video = [seen, isVideo ? severity : nil].compactMap(\.self).max()
    }
}

/// Seconds of one medium, and what they were like.
struct MediumTally: Sendable {
    private struct Key: Hashable {
        var cause: CostCause
        var severity: Diagnosis.Severity
    }

    private var seconds = 0.0
    private var spoilt: [Key: (first: Double, seconds: Double)] = [:]

    /// Adds seconds; without a severity they cost nothing.
    mutating func add(_ seconds: Double, _ cause: CostCause, _ severity: Diagnosis.Severity?, at time: Double)
    {
        self.seconds += seconds
        guard let severity else { return }
        let key = Key(cause: cause, severity: severity)
        let known = spoilt[key] ?? (time, 0)
        spoilt[key] = (min(known.first, time), known.seconds + seconds)
    }

    /// The part; `nil` without seconds.
    func part(_ rules: ScoreRules) -> ScorePart? {
        guard seconds > 0 else { return nil }
        let costs = spoilt.map { key, sum in
            ScorePart.Cost(
                cause: key.cause, severity: key.severity, first: sum.first, seconds: sum.seconds,
                points: 100 * sum.seconds * rules.cost(key.severity) / seconds)
        }.sorted { ($1.points, $0.first, $0.cause.name) < ($0.points, $1.first, $1.cause.name) }
        let score = 100 - costs.reduce(0) { $0 + $1.points }
        return ScorePart(score: min(max(score, 0), 100), seconds: seconds, costs: costs)
    }
}

extension ScoreRules {
    /// What a second of that severity costs, `0...1`.
    fileprivate func cost(_ severity: Diagnosis.Severity) -> Double {
        switch severity {
        case .noticeable: noticeable
        case .disturbing: disturbing
        case .bad: bad
        case .unusable: unusable
        }
    }
}
