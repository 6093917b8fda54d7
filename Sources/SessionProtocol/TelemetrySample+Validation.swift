// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension TelemetrySample {
    /// The sample with every figure within its range and every word one that is known.
    ///
    /// - Throws: `malformed` or `tooMany`, with the member that is wrong.
    func validated() throws(ServerError) -> TelemetrySample {
        guard events?.count ?? 0 <= TelemetryOccurrence.limit else {
            throw ServerError(.tooMany, "a sample takes \(TelemetryOccurrence.limit) events")
        }
        var sample = self
        sample.audio = try audio?.validated()
        sample.video = try video?.validated()
        sample.diagnosis = try diagnosis?.validated()
        sample.events = try Self.validated(events)
        for word in Words.sample { try word.hold(&sample) }
        return try sample.withFiguresChecked()
    }

    private static func validated(
        _ events: [TelemetryOccurrence]?
    ) throws(ServerError) -> [TelemetryOccurrence]? {
        guard let events else { return nil }
        var known: [TelemetryOccurrence] = []
        for event in events {
            if let event = try event.validated() { known.append(event) }
        }
        return known.isEmpty ? nil : known
    }
}

extension TelemetrySample.Media {
    fileprivate func validated() throws(ServerError) -> Self {
        guard layers?.count ?? 0 <= Self.layerLimit else {
            throw ServerError(.tooMany, "a sample takes \(Self.layerLimit) layers")
        }
        for layer in layers ?? [] {
            guard layer.rid.map(TelemetryLayer.isID) ?? true else {
                throw ServerError(
                    .malformed,
                    "\"rid\" must have 1 to \(TelemetryLayer.ridLimit) letters, digits, \"_\" or \"-\"")
            }
        }
        var media = self
        for word in Words.media { try word.hold(&media) }
        return media
    }
}

extension TelemetryDiagnosis {
    /// `nil` if the cause is none that is known.
    fileprivate func validated() throws(ServerError) -> Self? {
        var diagnosis = self
        for word in Words.diagnosis { try word.hold(&diagnosis) }
        guard !Words.causes.contains(cause) else { return diagnosis }
        try Word<Void>.check(cause, "diagnosis.cause")
        return nil
    }
}

extension TelemetryOccurrence {
    /// `nil` if the reason is none that is known.
    fileprivate func validated() throws(ServerError) -> Self? {
        guard let reasons = Words.occurrences[type] else {
            let known = Words.occurrences.keys.sorted().joined(separator: ", ")
            throw ServerError(.malformed, "the \"type\" of a sample's event must be one of \(known)")
        }
        var occurrence = self
        for word in Words.occurrence { try word.hold(&occurrence) }
        guard !reasons.contains(reason) else { return occurrence }
        try Word<Void>.check(reason, "events.reason")
        return nil
    }
}
