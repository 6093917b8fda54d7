// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import WebRTCStats

extension ClientMessage {
    /// The message, if what the types cannot check is in order too: that numbers, names, descriptions, sizes
    /// and figures are within the protocol's limits.
    ///
    /// In a sample, figures that are beyond their range by rounding are set to its bound, and words that this
    /// version does not know are omitted.
    ///
    /// - Throws: A ``ServerError`` that says which member is wrong.
    package func validated() throws(ServerError) -> ClientMessage {
        if case .ack = body {} else { try Check.number(id, "id", from: 1) }
        if let seq { try Check.number(seq, "seq", from: 1) }
        if let received { try Check.number(received, "received", from: 0) }
        guard case .telemetry(let telemetry) = body else {
            try checkBody()
            return self
        }
        return ClientMessage(
            id: id, seq: seq, received: received, .telemetry(try Check.telemetry(telemetry)))
    }

    private func checkBody() throws(ServerError) {
        switch body {
        case .join(let join):
            try Check.length(join.token, "token", 1...SessionProtocol.tokenLimit)
            try Check.length(join.restore ?? "", "restore", 0...SessionProtocol.tokenLimit)
            try Check.length(join.client ?? "", "client", 0...SessionProtocol.reasonLimit)
        case .resume(let resume):
            try Check.length(resume.token, "token", 1...SessionProtocol.tokenLimit)
            try Check.number(resume.received, "received", from: 0)
        case .ack(let acknowledgement): try Check.number(acknowledgement.received, "received", from: 0)
        case .publish(let request):
            try Check.leg(request.leg)
            try Check.description(request.offer, "offer")
            try Check.content(request.content)
            try Check.length(request.restore ?? "", "restore", 0...SessionProtocol.tokenLimit)
        case .subscribe(let request):
            try Check.leg(request.leg)
            try Check.name(request.stream, "stream")
            try Check.description(request.offer, "offer")
            try Check.preference(request.preference)
        case .offer(let request):
            try Check.leg(request.leg)
            try Check.description(request.offer, "offer")
        case .replace(let request):
            try Check.leg(request.leg)
            try Check.leg(request.replaces, "replaces")
            try Check.description(request.offer, "offer")
        case .candidate(let candidate): try Check.candidate(candidate)
        case .prefer(let request):
            try Check.leg(request.leg)
            try Check.preference(request.preference)
        case .update(let request):
            try Check.leg(request.leg)
            try Check.content(request.content)
        case .saturate(let request):
            try Check.leg(request.leg)
            try Check.rate(request.bitrate, "bitrate")
            guard (0...ClientMessage.Saturate.maximumSeconds).contains(request.seconds) else {
                throw ServerError(
                    .malformed, "\"seconds\" must be 0 to \(ClientMessage.Saturate.maximumSeconds)")
            }
        case .networkTest(let test): try Check.networkTest(test)
        case .unsubscribe(let leg), .unpublish(let leg), .settled(let leg), .legLost(let leg):
            try Check.leg(leg.leg)
        case .relay(let request):
            try Check.leg(request.leg)
            try Check.leg(request.publication, "publication")
            try Check.name(request.subscriberId, "subscriberId")
            try Check.description(request.offer, "offer")
        case .answer(let request):
            try Check.leg(request.leg)
            try Check.description(request.answer, "answer")
            try Check.length(request.message ?? "", "message", 0...SessionProtocol.reasonLimit)
        case .giveUp(let request):
            try Check.leg(request.publication, "publication")
            try Check.name(request.subscriberId, "subscriberId")
            try Check.length(request.message, "message", 0...SessionProtocol.reasonLimit)
        case .forceUnpublish(let request): try Check.name(request.stream, "stream")
        case .forceDisconnect(let request): try Check.name(request.connection, "connection")
        // A rating that is out of range cannot be.
        case .telemetry, .networkQuality, .rate, .leave: break
        }
    }
}

/// Limits of single members.
private enum Check {
    static func number(_ number: Int, _ member: String, from lowest: Int) throws(ServerError) {
        guard (lowest...SessionProtocol.numberLimit).contains(number) else {
            throw ServerError(
                .malformed, "\"\(member)\" must be \(lowest) to \(SessionProtocol.numberLimit)")
        }
    }

    static func length(_ text: String, _ member: String, _ bytes: ClosedRange<Int>) throws(ServerError) {
        guard bytes.contains(text.utf8.count) else {
            throw ServerError(
                .malformed, "\"\(member)\" must have \(bytes.lowerBound) to \(bytes.upperBound) bytes")
        }
    }

    static func name(_ text: String, _ member: String) throws(ServerError) {
        try length(text, member, 1...SessionProtocol.nameLimit)
    }

    static func leg(_ leg: LegName, _ member: String = "leg") throws(ServerError) {
        try name(leg.rawValue, member)
    }

    static func description(_ text: String?, _ member: String) throws(ServerError) {
        guard let text else { return }
        try length(text, member, 1...SessionProtocol.descriptionLimit)
    }

    static func content(_ content: StreamContent) throws(ServerError) {
        try length(content.name ?? "", "name", 0...SessionProtocol.nameLimit)
        try size(content.videoDimensions)
    }

    static func preference(_ preference: VideoPreference) throws(ServerError) {
        try size(preference.preferredResolution)
        let rate = preference.preferredFrameRate ?? 1
        guard rate > 0, rate <= SessionProtocol.frameRateLimit else {
            throw ServerError(
                .malformed, "a frame rate must be above 0 and at most \(SessionProtocol.frameRateLimit)")
        }
    }

    static func size(_ size: VideoSize?) throws(ServerError) {
        guard let size else { return }
        let pixels = 1...SessionProtocol.dimensionLimit
        guard pixels.contains(size.width), pixels.contains(size.height) else {
            throw ServerError(.malformed, "width and height must be 1 to \(pixels.upperBound) pixels")
        }
    }

    static func rate(_ rate: Double, _ member: String) throws(ServerError) {
        guard (1...SessionProtocol.rateLimit).contains(rate) else {
            throw ServerError(.malformed, "\"\(member)\" must be 1 to \(SessionProtocol.rateLimit) bps")
        }
    }

    static func candidate(_ candidate: LegCandidate) throws(ServerError) {
        try leg(candidate.leg)
        try length(candidate.mid ?? "", "mid", 0...SessionProtocol.nameLimit)
        try length(candidate.candidate, "candidate", 0...SessionProtocol.candidateLimit)
        guard (0...SessionProtocol.nameLimit).contains(candidate.lineIndex ?? 0) else {
            throw ServerError(.malformed, "\"lineIndex\" is out of range")
        }
    }

    static func networkTest(_ test: ClientMessage.NetworkTest) throws(ServerError) {
        typealias NetworkTest = ClientMessage.NetworkTest
        guard test.readings.count <= NetworkTest.readingLimit else {
            throw ServerError(.tooMany, "a message takes \(NetworkTest.readingLimit) readings")
        }
        for time in [test.time] + test.readings.map(\.time) {
            guard (0...NetworkTest.timeLimit).contains(time) else {
                throw ServerError(.malformed, "\"time\" must be 0 to \(NetworkTest.timeLimit) ms")
            }
        }
        for reading in test.readings {
            try leg(reading.leg)
            try changes(reading.changes.count)
        }
        if case .ended(let outcome) = test.course { try self.outcome(outcome) }
    }

    private static func outcome(_ outcome: ClientMessage.NetworkTest.Outcome) throws(ServerError) {
        typealias Outcome = ClientMessage.NetworkTest.Outcome
        guard (0...SessionProtocol.timeLimit).contains(outcome.start) else {
            throw ServerError(.malformed, "\"start\" must be a time, Unix ms")
        }
        guard outcome.steps.count <= Outcome.stepLimit else {
            throw ServerError(.tooMany, "a network test has \(Outcome.stepLimit) steps at most")
        }
        for step in outcome.steps { try name(step.step.rawValue, "step") }
        guard let failure = outcome.failure else { return }
        try name(failure.step.rawValue, "step")
        try name(failure.code, "code")
        try length(failure.message, "message", 0...SessionProtocol.reasonLimit)
    }

    static func telemetry(_ telemetry: Telemetry) throws(ServerError) -> Telemetry {
        guard telemetry.events.count <= Telemetry.limit else {
            throw ServerError(.tooMany, "a message takes \(Telemetry.limit) telemetry events")
        }
        var telemetry = telemetry
        for index in telemetry.events.indices {
            try event(telemetry.events[index])
            if case .sample(let sample, let number) = telemetry.events[index].content {
                telemetry.events[index].content = .sample(try sample.validated(), number: number)
            }
        }
        return telemetry
    }

    private static func event(_ event: TelemetryEvent) throws(ServerError) {
        try name(event.eventId, "eventId")
        try leg(event.leg)
        guard (0...SessionProtocol.timeLimit).contains(event.capturedAt) else {
            throw ServerError(.malformed, "\"capturedAt\" must be a time, Unix ms")
        }
        guard (0...TelemetryEvent.intervalLimit).contains(event.interval ?? 0) else {
            throw ServerError(.malformed, "\"interval\" must be 0 to \(TelemetryEvent.intervalLimit) s")
        }
        try content(event.content)
    }

    private static func content(_ content: TelemetryEvent.Content) throws(ServerError) {
        switch content {
        case .sample: return
        case .figures(let figures, let events):
            try changes(figures.count)
            guard events?.count ?? 0 <= StreamEvent.limit else {
                throw ServerError(.tooMany, "a sample takes \(StreamEvent.limit) events")
            }
        case .report(let report):
            guard report.entryCount <= SessionProtocol.reportLimit else {
                throw ServerError(.tooMany, "a report takes \(SessionProtocol.reportLimit) entries")
            }
        case .changes(let changes): try self.changes(changes.count)
        }
    }

    private static func changes(_ count: Int) throws(ServerError) {
        guard count <= TelemetryEvent.changeLimit else {
            throw ServerError(.tooMany, "an event takes \(TelemetryEvent.changeLimit) changes")
        }
    }
}
