// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Every word that a sample may hold, with the values that this version knows.
enum Words {
    private static let conditions = names(NetworkCondition.self)
    private static let reasons = names(NetworkReason.self)
    private static let sources = names(NetworkDegradationSource.self)

    static let sample: [Word<TelemetrySample>] = [
        .init("networkCondition", \.networkCondition, conditions),
        .init("networkConditionReason", \.networkConditionReason, reasons),
        .init("remoteNetworkCondition", \.remoteNetworkCondition, conditions),
        .init("remoteNetworkConditionReason", \.remoteNetworkConditionReason, reasons),
        .init("networkDegradationSource", \.networkDegradationSource, sources),
    ]

    static let media: [Word<TelemetrySample.Media>] = [
        .init("qualityLimitationReason", \.qualityLimitationReason, values(QualityLimitationReason.self))
    ]

    static let diagnosis: [Word<TelemetryDiagnosis>] = [
        .init("diagnosis.direction", \.direction, values(NetworkDirection.self)),
        .init("diagnosis.side", \.side, sources),
    ]

    static let causes = values(Diagnosis.Cause.self)

    static let occurrence: [Word<TelemetryOccurrence>] = [
        .init("events.phase", \.phase, values(CallQualityWarning.Phase.self)),
        .init("events.media", \.media, values(CallQualityWarning.Media.self)),
        .init("events.direction", \.direction, values(CallQualityWarning.Direction.self)),
        .init("events.side", \.side, sources),
        .init("events.from", \.from, conditions),
        .init("events.to", \.to, conditions),
    ]

    /// What a client may say that has happened, and the reasons of each.
    ///
    /// Everything else that happens in a session only the server says.
    static let occurrences: [String: Set<String>] = [
        "networkConditionChanged": reasons,
        "videoQualityChanged": names(PublisherVideoEventReason.self)
            .union(names(SubscriberVideoEventReason.self)),
        "callQuality": values(CallQualityWarning.Kind.self),
    ]

    private static func names<Value: CodableByName>(_: Value.Type) -> Set<String> {
        Set(Value.allCases.map(\.name))
    }

    private static func values<Value: CaseIterable & RawRepresentable>(_: Value.Type) -> Set<String>
    where Value.RawValue == String {
        Set(Value.allCases.map(\.rawValue))
    }
}
