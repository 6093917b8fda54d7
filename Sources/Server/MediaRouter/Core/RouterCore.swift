// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import RouterWire
import WebRTCStats

/// The router's state and decisions: legs and streams by the server's names, on top of an engine.
///
/// One input at a time; nothing here waits or keeps time. What an engine's completion brings comes back as an
/// ``Input``, through `post`. Names are used as they come: an unknown one is answered with a failure.
struct RouterCore {
    /// Bounds what a server may ask for.
    struct Limits {
        var legs = 1000
        /// Twice the clients of a session: each may have a leg and its replacement.
        var legsPerStream = 400
        var nameBytes = 256
    }

    /// Inputs.
    enum Input: Sendable {
        case command(RouterCommand)
        /// A line that was no command.
        case unreadable(String)
        case engine(RouterEngineEvent)
        /// A negotiation ended. `isFirst`: it was the one that made the leg.
        case answered(LegNumber, isFirst: Bool, Result<String, RouterEngineError>)
        case candidateRefused(LegNumber, RouterEngineError)
        /// `nil`: there was no report to be had.
        case statistics(LegNumber, StatsReport?)
        /// Time passes: the policy decides, and reports fall due.
        case tick
    }

    /// Interval of a leg's reports.
    static let reportInterval: Duration = .seconds(1)
    /// The same of one that tests the network, as soon as it carries media: reports of nothing would only be in the way
    /// of the signaling on a narrow line.
    static let testReportInterval: Duration = .milliseconds(250)
    /// Maximum duration of a leg's saturation.
    static let longestSaturation: Duration = .seconds(3)

    private let engine: any LegEngine
    private let limits: Limits
    private let policy: LayerPolicyConfiguration
    private let maximumBitrate: Double?
    private let post: @Sendable (Input) -> Void
    private var legs: [LegName: Leg] = [:]
    private var names: [LegNumber: LegName] = [:]
    private var streams: [String: Stream] = [:]
    private var networks = RouterNetworks()
    private var lastNumber: UInt64 = 0

    /// - Parameters:
    ///   - maximumBitrate: The most that a subscriber leg may use, bps; only reported.
    ///   - post: Brings an input back to ``handle(_:at:)``; called on the engine's thread.
    init(
        engine: any LegEngine, policy: LayerPolicyConfiguration = .init(), limits: Limits = .init(),
        maximumBitrate: Double? = nil, post: @escaping @Sendable (Input) -> Void
    ) {
        self.engine = engine
        self.policy = policy
        self.limits = limits
        self.maximumBitrate = maximumBitrate
        self.post = post
    }

    /// Handles `input` and returns what the server is to be sent.
    ///
    /// `now` must not go backwards.
    mutating func handle(_ input: Input, at now: Duration) -> [RouterNotice] {
        switch input {
        case .command(let command): handle(command, at: now)
        case .unreadable(let message):
            [.failure(LegFailure(leg: nil, code: .malformed, message: message, endsLeg: false))]
        case .engine(let event): handle(event, at: now)
        case .answered(let number, let isFirst, let result):
            answered(number, isFirst: isFirst, result, at: now)
        case .candidateRefused(let number, let error): candidateRefused(number, error)
        case .statistics(let number, let report): statistics(number, report)
        case .tick: tick(at: now)
        }
    }
}

// MARK: - State

extension RouterCore {
    private struct Leg {
        var number: LegNumber
        var kind: StreamRole
        var stream: String
        var preference: LayerPreference
        var policy: ForwardingPolicy
        /// The name of the network that its packets pass; `nil` for none.
        var network: String?
        var decision: LayerDecision?
        /// As last sent to the engine; everything at first.
        var highestTemporalLayer = LayerCounters.temporalLayers - 1
        /// `nil` until the first answer.
        var reportDue: Duration?
        var reportIsUnderWay = false
        var testsNetwork = false
        /// Whether it has received or sent any media.
        var carriesMedia = false
        /// When its saturation ends; `nil` while there is none.
        var saturationEnd: Duration?
        /// Whether its path is being filled, with video's padding, whether video is wanted or not.
        ///
        /// A client that wants none otherwise need not say so afterwards: its word would not get through what fills the path.
        var isSaturated: Bool { saturationEnd != nil }
        /// Whether nothing gets through any more by the path that it had.
        var hasLostPath = false

        var reportInterval: Duration {
            testsNetwork && carriesMedia ? RouterCore.testReportInterval : RouterCore.reportInterval
        }

        /// The next report of a test falls due as soon as it would if media had flowed before.
        mutating func noteMedia() {
            let before = reportInterval
            carriesMedia = true
            reportDue = reportDue.map { $0 - (before - reportInterval) }
        }

        mutating func notePath(_ state: LegConnectionState) {
            switch state {
            case .connected: hasLostPath = false
            case .disconnected, .failed: hasLostPath = true
            case .new, .connecting, .closed: break
            }
        }

        /// What the policy decides by.
        ///
        /// What congestion control makes of a path by which nothing gets through is no bandwidth: video would be
        /// withheld as too large for it, and come back long after the path.
        func policyInput(_ layers: [ObservedLayer], _ forwarding: Forwarding) -> LayerPolicyInput {
            var preference = preference
            preference.isVideoOn = (preference.isVideoOn || isSaturated) && forwarding.hasVideo
            return LayerPolicyInput(
                layers: layers, preference: preference,
                allocated: hasLostPath ? nil : forwarding.allocated,
                estimated: hasLostPath ? nil : forwarding.estimated, sent: forwarding.sent)
        }
    }

    private struct Stream {
        var number: StreamNumber
        var legs = 0
        var meter = LayerMeter()
        var layers: [ObservedLayer] = []
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}

// MARK: - Commands

extension RouterCore {
    private mutating func handle(_ command: RouterCommand, at now: Duration) -> [RouterNotice] {
        switch command {
        case .add(let request): add(request, at: now)
        case .offer(let offer):
            withLeg(offer.leg) { number in
                engine.answer(offer.offer, on: number) { [post] in post(.answered(number, isFirst: false, $0))
                }
            }
        case .candidate(let candidate):
            withLeg(candidate.leg) { number in
                engine.addCandidate(
                    candidate.candidate, mid: candidate.mid, lineIndex: candidate.lineIndex, to: number
                ) { [post] result in
                    if case .failure(let error) = result { post(.candidateRefused(number, error)) }
                }
            }
        case .prefer(let command): prefer(command.preference, on: command.leg, at: now)
        case .saturate(let request): saturate(request, at: now)
        case .align(let request): align(request, at: now)
        case .emulate(let network): networks.change(network, engine, at: now)
        case .remove(let name): remove(name.leg)
        }
    }

    private mutating func add(_ request: AddLeg, at now: Duration) -> [RouterNotice] {
        if let obstacle = obstacle(to: request) { return [obstacle] }
        let number = LegNumber(rawValue: nextNumber())
        var stream = streams[request.stream] ?? Stream(number: StreamNumber(rawValue: nextNumber()))
        stream.legs += 1
        streams[request.stream] = stream
        legs[request.leg] = Leg(
            number: number, kind: request.kind, stream: request.stream,
            preference: request.preference ?? LayerPreference(),
            policy: ForwardingPolicy(configuration: policy, audioFallback: request.audioFallback),
            network: request.network?.network, testsNetwork: request.testsNetwork == true)
        names[number] = request.leg
        var network: NetworkNumber?
        if let wanted = request.network {
            let fresh = NetworkNumber(rawValue: nextNumber())
            network = networks.join(wanted, orMake: fresh)
        }
        engine.add(
            request.kind, leg: number, stream: stream.number, offer: request.offer, network: network
        ) { [post] in
            post(.answered(number, isFirst: true, $0))
        }
        return request.network.map { networks.change($0, engine, at: now) } ?? []
    }

    /// Why a leg cannot be added; `nil` if it can.
    private func obstacle(to request: AddLeg) -> RouterNotice? {
        let lengths = 1...limits.nameBytes
        let names = [request.leg.rawValue, request.stream] + (request.network.map { [$0.network] } ?? [])
        if !names.allSatisfy({ lengths.contains($0.utf8.count) }) {
            return refusal(
                request.leg, .malformed, "the name of a leg, stream or network is empty or too long")
        }
        if legs[request.leg] != nil {
            let message = "there is already a leg of this name"
            return .failure(
                LegFailure(leg: request.leg, code: .duplicateLeg, message: message, endsLeg: false))
        }
        if legs.count >= limits.legs {
            return refusal(request.leg, .tooMany, "the router has \(limits.legs) legs and takes no more")
        }
        if let stream = streams[request.stream], stream.legs >= limits.legsPerStream {
            let message = "the stream has \(limits.legsPerStream) legs and takes no more"
            return refusal(request.leg, .tooMany, message)
        }
        if request.kind == .subscriber, streams[request.stream] == nil {
            return refusal(request.leg, .unknownStream, "there is no such stream")
        }
        return nil
    }

    private func refusal(_ leg: LegName, _ code: LegFailure.Code, _ message: String) -> RouterNotice {
        .failure(LegFailure(leg: leg, code: code, message: message, endsLeg: true))
    }

    private func withLeg(_ name: LegName, _ body: (LegNumber) -> Void) -> [RouterNotice] {
        guard let leg = legs[name] else {
            return [refusal(name, .unknownLeg, "there is no such leg")]
        }
        body(leg.number)
        return []
    }

    private mutating func remove(_ name: LegName) -> [RouterNotice] {
        guard let number = legs[name]?.number else { return [] }
        // Before the leg: what it has counted so far is counted.
        let notices = forget(name)
        engine.remove(number)
        return notices
    }

    /// Removes a leg from the tables.
    private mutating func forget(_ name: LegName) -> [RouterNotice] {
        guard let leg = legs.removeValue(forKey: name) else { return [] }
        names[leg.number] = nil
        streams[leg.stream]?.legs -= 1
        if streams[leg.stream]?.legs == 0 { streams[leg.stream] = nil }
        return leg.network.map { networks.leave($0, engine) } ?? []
    }

    private mutating func prefer(_ preference: LayerPreference, on name: LegName, at now: Duration)
        -> [RouterNotice]
    {
        let failures = withLeg(name) { _ in }
        guard failures.isEmpty else { return failures }
        legs[name]?.preference = preference
        return decide(for: name, at: now)
    }
}

// MARK: - Network tests

extension RouterCore {
    private mutating func saturate(_ request: LegSaturation, at now: Duration) -> [RouterNotice] {
        let failures = withLeg(request.leg) { _ in }
        guard failures.isEmpty, let leg = legs[request.leg] else { return failures }
        guard leg.testsNetwork, leg.kind == .subscriber else {
            let message = "only a subscriber leg that tests the network can be saturated"
            return [
                .failure(
                    LegFailure(leg: request.leg, code: .unsupported, message: message, endsLeg: false))
            ]
        }
        let length = min(max(0, request.seconds), Self.longestSaturation.seconds)
        legs[request.leg]?.saturationEnd = now + .seconds(length)
        engine.saturate(leg.number, bitrate: request.bitrate)
        return decide(for: request.leg, at: now)
    }

    private mutating func endSaturation(of name: LegName, at now: Duration) -> [RouterNotice] {
        guard let leg = legs[name], let end = leg.saturationEnd, now >= end else { return [] }
        legs[name]?.saturationEnd = nil
        engine.saturate(leg.number, bitrate: nil)
        return decide(for: name, at: now)
    }
}

// MARK: - The engine's side

extension RouterCore {
    private mutating func handle(_ event: RouterEngineEvent, at now: Duration) -> [RouterNotice] {
        switch event {
        case .candidate(let number, let mid, let lineIndex, let candidate):
            guard let name = names[number] else { return [] }
            return [.candidate(LegCandidate(leg: name, mid: mid, lineIndex: lineIndex, candidate: candidate))]
        case .connectionState(let number, let state):
            guard let name = names[number] else { return [] }
            legs[name]?.notePath(state)
            // A test sends nothing before it knows.
            if state == .connected, legs[name]?.testsNetwork == true { legs[name]?.reportDue = now }
            return [.state(LegState(leg: name, state: state.rawValue))]
        }
    }

    private mutating func answered(
        _ number: LegNumber, isFirst: Bool, _ result: Result<String, RouterEngineError>, at now: Duration
    ) -> [RouterNotice] {
        // A leg that was removed meanwhile wants no answer.
        guard let name = names[number] else { return [] }
        switch result {
        case .success(let sdp):
            // Clients count their intervals from a little before the answer: what they report gets figures that are half of one old,
            // where those of a whole one later came just after it.
            if let leg = legs[name], leg.reportDue == nil {
                legs[name]?.reportDue = now + leg.reportInterval / 2
            }
            return [.answer(LegAnswer(leg: name, answer: sdp))]
        case .failure(let error):
            // One that cannot be negotiated any more is of no use.
            let endsLeg = isFirst || error.kind == .closed
            let notices = endsLeg ? remove(name) : []
            return notices + [.failure(LegFailure(leg: name, error, endsLeg: endsLeg, answersOffer: true))]
        }
    }

    private func candidateRefused(_ number: LegNumber, _ error: RouterEngineError) -> [RouterNotice] {
        guard let name = names[number], error.kind != .closed else { return [] }
        return [.failure(LegFailure(leg: name, error, endsLeg: false))]
    }

    private mutating func statistics(_ number: LegNumber, _ report: StatsReport?) -> [RouterNotice] {
        guard let name = names[number], let leg = legs[name] else { return [] }
        legs[name]?.reportIsUnderWay = false
        guard let report else { return [] }
        if report.hasMedia { legs[name]?.noteMedia() }
        let layers = streams[leg.stream]?.layers ?? []
        return [
            .report(
                LegReport(
                    leg: name, kind: leg.kind, stream: leg.stream, stats: report,
                    layers: layers.map(LayerFigures.init), policy: policyState(of: leg, layers: layers),
                    pathTiming: engine.takePathTiming(of: number)))
        ]
    }

    /// `nil` for a publisher leg.
    private func policyState(of leg: Leg, layers: [ObservedLayer]) -> PolicyState? {
        guard leg.kind == .subscriber else { return nil }
        let forwarding = engine.forwarding(of: leg.number)
        let layer = { (id: LayerID?) in layers.first { $0.id == id }.map(LayerFigures.init) }
        return PolicyState(
            wanted: layer(leg.decision?.wanted), sent: layer(forwarding?.sent),
            reason: leg.decision?.reason ?? .layerAbsent, allocated: forwarding?.allocated,
            maximumBitrate: maximumBitrate)
    }
}

// MARK: - Time

extension RouterCore {
    private mutating func tick(at now: Duration) -> [RouterNotice] {
        for name in Array(streams.keys) {
            guard var stream = streams.removeValue(forKey: name) else { continue }
            stream.layers = stream.meter.handle(engine.layers(of: stream.number), at: now)
            streams[name] = stream
        }
        var notices = networks.report(engine, at: now)
        for name in Array(legs.keys) {
            notices += decide(for: name, at: now)
            askForReport(of: name, at: now)
            notices += endSaturation(of: name, at: now)
        }
        return notices
    }

    /// Decides what a leg is sent; reports when audio fallback changes.
    private mutating func decide(for name: LegName, at now: Duration) -> [RouterNotice] {
        guard var leg = legs[name], leg.kind == .subscriber,
            let forwarding = engine.forwarding(of: leg.number),
            let stream = streams[leg.stream]
        else { return [] }
        var decision = leg.policy.handle(leg.policyInput(stream.layers, forwarding), at: now)
        // There is padding for a layer alone, also while none is sent.
        if leg.isSaturated, decision.target == nil {
            decision.target = stream.layers.first(where: \.hasSent)?.id
        }
        let before = leg.decision?.fallback ?? .on
        leg.decision = decision
        legs[name] = leg
        if decision.target != forwarding.wanted {
            engine.select(decision.target, stoppingFirst: decision.stopsFirst, on: leg.number)
        }
        let highest = decision.highestTemporalLayer ?? LayerCounters.temporalLayers - 1
        if highest != leg.highestTemporalLayer {
            engine.limitTemporalLayers(highest, on: leg.number)
            legs[name]?.highestTemporalLayer = highest
        }
        if let bitrate = decision.probe { engine.probe(leg.number, bitrate: bitrate) }
        guard decision.fallback != before else { return [] }
        return [.fallback(LegFallback(leg: name, state: decision.fallback))]
    }

    private mutating func align(_ request: LegAlignment, at now: Duration) -> [RouterNotice] {
        let failures = withLeg(request.leg) { _ in }
        guard failures.isEmpty, let leg = legs[request.leg], leg.reportDue != nil, !leg.testsNetwork else {
            return failures
        }
        let wait = min(max(0, request.seconds), leg.reportInterval.seconds)
        legs[request.leg]?.reportDue = now + .seconds(wait)
        return []
    }

    private mutating func askForReport(of name: LegName, at now: Duration) {
        guard let leg = legs[name], let due = leg.reportDue, now >= due else { return }
        // Late reports are omitted, not made up for.
        let next = due + leg.reportInterval
        legs[name]?.reportDue = next > now ? next : now + leg.reportInterval
        guard !leg.reportIsUnderWay else { return }
        legs[name]?.reportIsUnderWay = true
        let number = leg.number
        engine.statistics(of: number) { [post] result in post(.statistics(number, try? result.get())) }
    }
}

extension StatsReport {
    /// Whether any was received or sent.
    fileprivate var hasMedia: Bool {
        inboundRTP.contains { $0.packetsReceived ?? 0 > 0 }
            || outboundRTP.contains { $0.packetsSent ?? 0 > 0 }
    }
}
