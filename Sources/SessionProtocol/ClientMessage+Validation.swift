// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension ClientMessage {
    /// Checks what the types cannot: that names, descriptions and sizes are within the protocol's limits.
    ///
    /// - Throws: A ``ServerError`` that says which member is wrong.
    public func validate() throws(ServerError) {
        switch body {
        case .join(let join):
            try Check.length(join.token, "token", 1...SessionProtocol.tokenLimit)
            try Check.length(join.restore ?? "", "restore", 0...SessionProtocol.tokenLimit)
        case .resume(let resume): try Check.length(resume.token, "token", 1...SessionProtocol.tokenLimit)
        case .publish(let request):
            try Check.name(request.leg, "leg")
            try Check.description(request.offer, "offer")
            try Check.content(request.content)
            try Check.length(request.restore ?? "", "restore", 0...SessionProtocol.tokenLimit)
        case .subscribe(let request):
            try Check.name(request.leg, "leg")
            try Check.name(request.stream, "stream")
            try Check.description(request.offer, "offer")
            try Check.preference(request.preference)
        case .offer(let request):
            try Check.name(request.leg, "leg")
            try Check.description(request.offer, "offer")
        case .replace(let request):
            try Check.name(request.leg, "leg")
            try Check.name(request.replaces, "replaces")
            try Check.description(request.offer, "offer")
        case .candidate(let candidate): try Check.candidate(candidate)
        case .prefer(let request):
            try Check.name(request.leg, "leg")
            try Check.preference(request.preference)
        case .update(let request):
            try Check.name(request.leg, "leg")
            try Check.content(request.content)
        case .saturate(let request):
            try Check.name(request.leg, "leg")
            try Check.rate(request.bitrate, "bitrate")
        case .unsubscribe(let leg), .unpublish(let leg), .settled(let leg), .legLost(let leg):
            try Check.name(leg.leg, "leg")
        case .relay(let request):
            try Check.name(request.leg, "leg")
            try Check.name(request.publication, "publication")
            try Check.name(request.subscriberId, "subscriberId")
            try Check.description(request.offer, "offer")
        case .answer(let request):
            try Check.name(request.leg, "leg")
            try Check.description(request.answer, "answer")
            try Check.length(request.message ?? "", "message", 0...SessionProtocol.reasonLimit)
        case .giveUp(let request):
            try Check.name(request.publication, "publication")
            try Check.name(request.subscriberId, "subscriberId")
            try Check.length(request.message, "message", 0...SessionProtocol.reasonLimit)
        case .telemetry(let telemetry): try Check.telemetry(telemetry)
        case .forceUnpublish(let request): try Check.name(request.stream, "stream")
        case .forceDisconnect(let request): try Check.name(request.connection, "connection")
        case .ack, .networkQuality, .leave: break
        }
    }
}

/// Limits of single members.
private enum Check {
    static func length(_ text: String, _ member: String, _ bytes: ClosedRange<Int>) throws(ServerError) {
        guard bytes.contains(text.utf8.count) else {
            throw ServerError(
                .malformed, "\"\(member)\" must have \(bytes.lowerBound) to \(bytes.upperBound) bytes")
        }
    }

    static func name(_ text: String, _ member: String) throws(ServerError) {
        try length(text, member, 1...SessionProtocol.nameLimit)
    }

    static func description(_ text: String?, _ member: String) throws(ServerError) {
        guard let text else { return }
        try length(text, member, 1...SessionProtocol.descriptionLimit)
    }

    static func content(_ content: StreamContent) throws(ServerError) {
        try length(content.name ?? "", "name", 0...SessionProtocol.nameLimit)
        try length(content.videoType.rawValue, "videoType", 1...SessionProtocol.nameLimit)
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

    static func size(_ size: Dimensions?) throws(ServerError) {
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

    static func candidate(_ candidate: Candidate) throws(ServerError) {
        try name(candidate.leg, "leg")
        try length(candidate.mid ?? "", "mid", 0...SessionProtocol.nameLimit)
        try length(candidate.candidate, "candidate", 0...SessionProtocol.candidateLimit)
        guard (0...SessionProtocol.nameLimit).contains(candidate.lineIndex ?? 0) else {
            throw ServerError(.malformed, "\"lineIndex\" is out of range")
        }
    }

    static func telemetry(_ telemetry: Telemetry) throws(ServerError) {
        guard telemetry.events.count <= Telemetry.limit else {
            throw ServerError(.tooMany, "a message takes \(Telemetry.limit) telemetry events")
        }
        for event in telemetry.events {
            try name(event.eventId, "eventId")
            try name(event.leg, "leg")
            guard event.capturedAt.isFinite else {
                throw ServerError(.malformed, "\"capturedAt\" is no time")
            }
            guard event.sample != nil || event.report != nil else {
                throw ServerError(.malformed, "a telemetry event needs a \"sample\" or a \"report\"")
            }
            if let sample = event.sample { try Check.sample(sample) }
        }
    }

    static func layers(_ layers: [TelemetryLayer]) throws(ServerError) {
        guard layers.count <= TelemetrySample.Media.layerLimit else {
            throw ServerError(.tooMany, "a sample takes \(TelemetrySample.Media.layerLimit) layers")
        }
        for layer in layers { try length(layer.rid ?? "", "rid", 0...TelemetryLayer.ridLimit) }
    }

    static func sample(_ sample: TelemetrySample) throws(ServerError) {
        try layers(sample.video?.layers ?? [])
        let events = sample.events ?? []
        guard events.count <= TelemetryOccurrence.limit else {
            throw ServerError(.tooMany, "a sample takes \(TelemetryOccurrence.limit) events")
        }
        for event in events {
            try name(event.type, "type")
            try name(event.reason, "reason")
            for text in [event.phase, event.media, event.direction, event.side, event.from, event.to] {
                try length(text ?? "", "events", 0...SessionProtocol.nameLimit)
            }
        }
    }
}
