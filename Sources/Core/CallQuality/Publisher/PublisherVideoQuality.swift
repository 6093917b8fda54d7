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
    ///
    /// Each limit that begins ends: before another takes its place, and when video is switched off.
    ///
    /// - Parameter hasRoom: Whether congestion control has room for much more, so that bandwidth is no limit.
    mutating func handle(
        _ layers: [LayerObservation], _ changes: [QualityLimitationReason?], isWanted: Bool,
        hasRoom: Bool, at time: Double
    ) -> [VideoQualityChange] {
        begin = begin ?? time
        guard isWanted, !layers.isEmpty else {
            let end = change(to: nil)
            candidate = nil
            return end
        }
        let limits = limitation(of: layers, hasRoom: hasRoom, at: time)
        if !limits.isEmpty { return limits }
        if changes.contains(.codec) { return [VideoQualityChange(.codecChange)] }
        let isReshaped = changes.contains { $0 == .resolution || $0 == .layerChange }
        return isReshaped ? [VideoQualityChange(.resolutionChange)] : []
    }

    private mutating func limitation(
        of layers: [LayerObservation], hasRoom: Bool, at time: Double
    ) -> [VideoQualityChange] {
        var worst: QualityLimitationReason?
        for layer in layers where layer.figures.enabled != false {
            guard let reason = layer.qualityLimitationReason else { continue }
            let isLimit =
                reason.weight >= QualityLimitationReason.other.weight && !(hasRoom && reason == .bandwidth)
            let state = isLimit ? reason : .none
            if worst == nil || state.weight > worst?.weight ?? 0 { worst = state }
        }
        guard let worst else { return [] }
        if candidate?.reason != worst { candidate = (worst, time) }
        guard worst != believed, let candidate else { return [] }
        if believed == nil, worst == .none { return change(to: worst) }
        let isStarting = believed == nil && time - (begin ?? time) < rules.start * 1000
        guard !isStarting, time - candidate.since >= rules.confirmationTime * 1000 else { return [] }
        return change(to: worst)
    }

    /// Believes in another limit, or in none; returns the end of the one before and its own begin.
    private mutating func change(to new: QualityLimitationReason?) -> [VideoQualityChange] {
        let left = believed
        believed = new
        let ended = left.flatMap { $0 == .none ? nil : VideoQualityChange($0.eventReason, .recover) }
        let begun = new.flatMap { $0 == .none ? nil : VideoQualityChange($0.eventReason) }
        return [ended, begun].compactMap(\.self)
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
