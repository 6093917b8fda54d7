// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// The router's state and decisions: legs and streams by the server's names, on top of an engine.
///
/// One input at a time; nothing here waits or keeps time. What an engine's completion brings comes back as an
/// ``Input``, through `post`. Names are used as they come: an unknown one is answered with a failure.
struct RouterCore {
    /// Bounds what a server may ask for.
    struct Limits {
        var legs = 1000
        var nameBytes = 256
    }

    /// What can happen.
    enum Input: Sendable {
        case command(RouterCommand)
        case engine(RouterEngineEvent)
        /// A negotiation ended. `isFirst`: it was the one that made the leg.
        case answered(LegNumber, isFirst: Bool, Result<String, RouterEngineError>)
        case candidateRefused(LegNumber, RouterEngineError)
        /// `nil`: there was no report to be had.
        case statistics(LegNumber, StatsReport?)
        /// Time passes: the policy decides, and reports fall due.
        case tick
    }

    /// How often a leg is reported.
    static let reportInterval: Duration = .seconds(1)

    private let engine: any LegEngine
    private let limits: Limits
    private let policy: LayerPolicyConfiguration
    private let post: @Sendable (Input) -> Void
    private var legs: [String: Leg] = [:]
    private var names: [LegNumber: String] = [:]
    private var streams: [String: Stream] = [:]
    private var lastNumber: UInt64 = 0

    /// - Parameter post: Brings an input back to ``handle(_:at:)``; called on the engine's thread.
    init(
        engine: any LegEngine, policy: LayerPolicyConfiguration = .init(), limits: Limits = .init(),
        post: @escaping @Sendable (Input) -> Void
    ) {
        self.engine = engine
        self.policy = policy
        self.limits = limits
        self.post = post
    }

    /// Does what `input` asks for and returns what the server is to be told. `now` must not go backwards.
    mutating func handle(_ input: Input, at now: Duration) -> [RouterNotice] {
        switch input {
        case .command(let command): handle(command, at: now)
        case .engine(let event): handle(event)
        case .answered(let number, let isFirst, let result): answered(number, isFirst: isFirst, result, at: now)
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
        var kind: LegKind
        var stream: String
        var preference: LayerPreference
        var policy: LayerPolicy
        var decision: LayerDecision?
        /// `nil` until the first answer.
        var reportDue: Duration?
        var reportIsUnderWay = false
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
        case .add(let leg, let kind, let stream, let offer, let preference):
            add(leg, kind: kind, stream: stream, offer: offer, preference: preference)
        case .offer(let leg, let sdp):
            withLeg(leg) { number in
                engine.answer(sdp, on: number) { [post] in post(.answered(number, isFirst: false, $0)) }
            }
        case .candidate(let leg, let candidate):
            withLeg(leg) { number in
                engine.addCandidate(
                    candidate.candidate, mid: candidate.mid, lineIndex: candidate.lineIndex, to: number
                ) { [post] result in
                    if case .failure(let error) = result { post(.candidateRefused(number, error)) }
                }
            }
        case .remove(let leg):
            // Twice is no mistake: the leg may have ended on its own meanwhile.
            remove(leg)
        case .prefer(let leg, let preference):
            prefer(preference, on: leg, at: now)
        }
    }

    private mutating func add(
        _ name: String, kind: LegKind, stream streamName: String, offer: String, preference: LayerPreference
    ) -> [RouterNotice] {
        if let failure = obstacle(to: name, kind: kind, stream: streamName) {
            return [.failure(leg: name, failure, endsLeg: failure.code != .duplicateLeg)]
        }
        let number = LegNumber(rawValue: nextNumber())
        var stream = streams[streamName] ?? Stream(number: StreamNumber(rawValue: nextNumber()))
        stream.legs += 1
        streams[streamName] = stream
        legs[name] = Leg(
            number: number, kind: kind, stream: streamName, preference: preference,
            policy: LayerPolicy(configuration: policy))
        names[number] = name
        engine.add(kind, leg: number, stream: stream.number, offer: offer) { [post] in
            post(.answered(number, isFirst: true, $0))
        }
        return []
    }

    private func obstacle(to name: String, kind: LegKind, stream: String) -> RouterFailure? {
        let lengths = 1...limits.nameBytes
        if !lengths.contains(name.utf8.count) || !lengths.contains(stream.utf8.count) {
            return RouterFailure(code: .malformed, message: "the name of a leg or stream is empty or too long")
        }
        if legs[name] != nil {
            return RouterFailure(code: .duplicateLeg, message: "there is already a leg of this name")
        }
        if legs.count >= limits.legs {
            return RouterFailure(code: .tooMany, message: "the router has \(limits.legs) legs and takes no more")
        }
        if kind == .subscriber, streams[stream] == nil {
            return RouterFailure(code: .unknownStream, message: "there is no such stream")
        }
        return nil
    }

    private func withLeg(_ name: String, _ body: (LegNumber) -> Void) -> [RouterNotice] {
        guard let leg = legs[name] else {
            let failure = RouterFailure(code: .unknownLeg, message: "there is no such leg")
            return [.failure(leg: name, failure, endsLeg: true)]
        }
        body(leg.number)
        return []
    }

    private mutating func remove(_ name: String) -> [RouterNotice] {
        guard let number = forget(name) else { return [] }
        engine.remove(number)
        return []
    }

    /// Removes a leg from the books; `nil` if there is none.
    private mutating func forget(_ name: String) -> LegNumber? {
        guard let leg = legs.removeValue(forKey: name) else { return nil }
        names[leg.number] = nil
        streams[leg.stream]?.legs -= 1
        if streams[leg.stream]?.legs == 0 { streams[leg.stream] = nil }
        return leg.number
    }

    private mutating func prefer(_ preference: LayerPreference, on name: String, at now: Duration) -> [RouterNotice] {
        let failures = withLeg(name) { _ in }
        guard failures.isEmpty else { return failures }
        legs[name]?.preference = preference
        decide(for: name, at: now)
        return []
    }
}

// MARK: - The engine's side

extension RouterCore {
    private func handle(_ event: RouterEngineEvent) -> [RouterNotice] {
        switch event {
        case .candidate(let number, let mid, let lineIndex, let candidate):
            guard let name = names[number] else { return [] }
            let candidate = RouterCandidate(mid: mid, lineIndex: lineIndex, candidate: candidate)
            return [.candidate(leg: name, candidate)]
        case .connectionState(let number, let state):
            guard let name = names[number] else { return [] }
            return [.connectionState(leg: name, state)]
        }
    }

    private mutating func answered(
        _ number: LegNumber, isFirst: Bool, _ result: Result<String, RouterEngineError>, at now: Duration
    ) -> [RouterNotice] {
        // A leg that was removed meanwhile wants no answer.
        guard let name = names[number] else { return [] }
        switch result {
        case .success(let sdp):
            if legs[name]?.reportDue == nil { legs[name]?.reportDue = now + Self.reportInterval }
            return [.answer(leg: name, sdp: sdp)]
        case .failure(let error):
            if isFirst { _ = forget(name) }
            return [.failure(leg: name, RouterFailure(error), endsLeg: isFirst)]
        }
    }

    private func candidateRefused(_ number: LegNumber, _ error: RouterEngineError) -> [RouterNotice] {
        guard let name = names[number], error.kind != .closed else { return [] }
        return [.failure(leg: name, RouterFailure(error), endsLeg: false)]
    }

    private mutating func statistics(_ number: LegNumber, _ report: StatsReport?) -> [RouterNotice] {
        guard let name = names[number], let leg = legs[name] else { return [] }
        legs[name]?.reportIsUnderWay = false
        guard let report else { return [] }
        return [.report(LegReport(leg: name, stream: leg.stream, statistics: report, detail: detail(of: leg)))]
    }

    private func detail(of leg: Leg) -> LegReport.Detail {
        let layers = streams[leg.stream]?.layers ?? []
        guard leg.kind == .subscriber else { return .publisher(.init(layers: layers)) }
        let forwarding = engine.forwarding(of: leg.number)
        let layer = { (id: LayerID?) in layers.first { $0.id == id } }
        return .subscriber(
            .init(
                wanted: layer(leg.decision?.wanted), sent: layer(forwarding?.sent),
                reason: leg.decision?.reason ?? .layerAbsent, allocated: forwarding?.allocated))
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
        for name in Array(legs.keys) {
            decide(for: name, at: now)
            askForReport(of: name, at: now)
        }
        return []
    }

    private mutating func decide(for name: String, at now: Duration) {
        guard var leg = legs[name], leg.kind == .subscriber, let forwarding = engine.forwarding(of: leg.number),
            let stream = streams[leg.stream]
        else { return }
        let input = LayerPolicyInput(
            layers: stream.layers, preference: leg.preference, allocated: forwarding.allocated,
            sent: forwarding.sent)
        let decision = leg.policy.handle(input, at: now)
        leg.decision = decision
        legs[name] = leg
        if decision.target != forwarding.wanted {
            engine.select(decision.target, stoppingFirst: decision.stopsFirst, on: leg.number)
        }
    }

    private mutating func askForReport(of name: String, at now: Duration) {
        guard let leg = legs[name], let due = leg.reportDue, now >= due else { return }
        // Late reports are left out, not made up for.
        let next = due + Self.reportInterval
        legs[name]?.reportDue = next > now ? next : now + Self.reportInterval
        guard !leg.reportIsUnderWay else { return }
        legs[name]?.reportIsUnderWay = true
        let number = leg.number
        engine.statistics(of: number) { [post] result in post(.statistics(number, try? result.get())) }
    }
}

extension RouterFailure {
    init(_ error: RouterEngineError) {
        let code: Code =
            switch error.kind {
            case .malformed: .malformed
            case .unsupported: .unsupported
            case .invalidState: .unknownLeg
            case .closed: .closed
            case .overloaded: .tooMany
            case .internal: .internal
            }
        self.init(code: code, message: error.message)
    }
}
