// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Notices changes of a published video's quality.
struct PublisherVideoQuality: Sendable {
    private let rules: VideoRules
    private var believed: QualityLimitationReason?
    private var candidate: (reason: QualityLimitationReason, since: Double)?
    private var begin: Double?

    init(rules: VideoRules) { self.rules = rules }

    /// Takes a tick's layers; returns the change with the highest priority: bandwidth, processor, other,
    /// codec, resolution or layers.
    mutating func handle(
        _ layers: [PublisherVideoLayerStats], _ changes: [QualityLimitationReason?], isWanted: Bool,
        at time: Double
    ) -> StreamEvent? {
        begin = begin ?? time
        guard isWanted, !layers.isEmpty else {
            believed = nil
            candidate = nil
            return nil
        }
        if let event = limitation(of: layers, at: time) { return event }
        if changes.contains(.codec) { return .videoQualityChanged(.codecChange, isRecovery: false) }
        let isReshaped = changes.contains { $0 == .resolution || $0 == .layerChange }
        return isReshaped ? .videoQualityChanged(.resolutionChange, isRecovery: false) : nil
    }

    private mutating func limitation(
        of layers: [PublisherVideoLayerStats], at time: Double
    ) -> StreamEvent? {
        var worst: QualityLimitationReason?
        for layer in layers where layer.enabled != false {
            guard let reason = layer.qualityLimitationReason else { continue }
            let state = reason.weight >= QualityLimitationReason.other.weight ? reason : .none
            if worst == nil || state.weight > worst?.weight ?? 0 { worst = state }
        }
        guard let worst else { return nil }
        if candidate?.reason != worst { candidate = (worst, time) }
        guard worst != believed, let candidate else { return nil }
        if believed == nil, worst == .none {
            believed = worst
            return nil
        }
        let isStarting = believed == nil && time - (begin ?? time) < rules.start * 1000
        guard !isStarting, time - candidate.since >= rules.confirmationTime * 1000 else { return nil }
        let left = believed ?? .none
        believed = worst
        let isRecovery = worst == .none || left.weight > worst.weight
        return .videoQualityChanged((worst == .none ? left : worst).eventReason, isRecovery: isRecovery)
    }
}

extension QualityLimitationReason {
    fileprivate var eventReason: VideoEventReason {
        switch self {
        case .bandwidth: .qualityDegradationBandwidth
        case .cpu: .qualityDegradationCPU
        case .other: .qualityDegradationOther
        case .codec: .codecChange
        case .resolution, .layerChange: .resolutionChange
        case .none: .none
        }
    }
}
