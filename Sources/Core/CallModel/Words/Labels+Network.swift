// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension NetworkCondition: LabelledWord {
    package static var vocabulary: String { "NetworkCondition" }
    package var label: String { name }

    /// Conditions that were determined, from worst to best.
    package static var determined: [NetworkCondition] { allCases.filter { $0 != .unknown }.sorted() }
}

extension NetworkReason: LabelledWord {
    package static var vocabulary: String { "NetworkReason" }

    package var label: String {
        switch self {
        case .none: Diagnosis.Cause.none.label
        case .unknown: Diagnosis.Cause.unknown.label
        case .bandwidth: Diagnosis.Cause.bandwidth.label
        case .packetLoss: Diagnosis.Cause.packetLoss.label
        case .networkConditionChange: "changed network condition"
        case .connection: Diagnosis.Cause.connection.label
        }
    }
}

extension NetworkDirection: LabelledWord {
    package static var vocabulary: String { "NetworkDirection" }

    package var label: String {
        switch self {
        case .uplink: "uplink"
        case .downlink: "downlink"
        case .both: "both directions"
        }
    }
}

extension NetworkDegradationSource: LabelledWord {
    package static var vocabulary: String { "NetworkDegradationSource" }

    package var label: String {
        switch self {
        case .none: "neither side"
        case .bothOrUnclear: "both sides, or unclear"
        case .local: "own side"
        case .remote: "other side"
        case .unknown: "unknown side"
        case .server: "the server's side"
        }
    }
}
