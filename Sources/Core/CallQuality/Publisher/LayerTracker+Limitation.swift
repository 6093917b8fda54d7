// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Which of the layers is limited.
///
/// Engines report one reason for the encoder and repeat it on each layer, so it says nothing about the single
/// layer.
extension LayerTracker {
    /// Gives each layer its reason: the encoder's if the layer does not get what it wants, else what changed
    /// in this tick, else none; nothing where the engine reports no reason and nothing changed.
    func attribute(
        _ input: Input, _ changes: [QualityLimitationReason?], to observed: inout [LayerObservation]
    ) {
        let encoder = encoderReason(input)
        var isAttributed = false
        for index in observed.indices where observed[index].figures.enabled != false {
            guard let encoder, encoder != .none,
                isBelowTarget(observed[index].figures, at: index, input)
            else { continue }
            observed[index].qualityLimitationReason = encoder
            isAttributed = true
        }
        if let encoder, encoder != .none, !isAttributed {
            // Limited without missing size or rate: quantization is coarse, the largest layer's first.
            let largest = observed.lastIndex { $0.figures.enabled != false && $0.figures.sending != false }
            if let largest { observed[largest].qualityLimitationReason = encoder }
        }
        for index in observed.indices where observed[index].qualityLimitationReason == nil {
            observed[index].qualityLimitationReason = changes[index] ?? encoder.map { _ in .none }
        }
    }

    private func encoderReason(_ input: Input) -> QualityLimitationReason? {
        var worst: QualityLimitationReason?
        for layer in layers {
            guard let entry = layer.sum.entry else { continue }
            let reason = QualityLimitationReason(input.report.outboundRTP[entry].qualityLimitationReason)
            guard let reason else { continue }
            if worst == nil || reason.weight > worst?.weight ?? 0 { worst = reason }
        }
        return worst
    }

    /// Whether an enabled layer is not sent, or not at its wanted size or frame rate.
    private func isBelowTarget(_ figures: LayerFigures, at index: Int, _ input: Input) -> Bool {
        if figures.sending == false { return true }
        if let wanted = wantedPixels(at: index, input), let width = figures.width,
            let height = figures.height,
            VideoSize(width: width, height: height).pixels < wanted * rules.sufficientPixels
        {
            return true
        }
        let rates = [layers[index].intent?.maximumFrameRate, input.capturedFrameRate].compactMap { $0 }
        guard let wanted = rates.min(), let rate = figures.frameRate else { return false }
        return rate < wanted * rules.sufficientFrameRate
    }

    /// The configured size; for a single layer no one configured, the source's.
    private func wantedPixels(at index: Int, _ input: Input) -> Double? {
        if let size = layers[index].intent?.size { return size.pixels }
        guard layers.count == 1, let source = input.source else { return nil }
        let entry = input.report.mediaSources[source]
        guard let width = entry.width, let height = entry.height else { return nil }
        return Double(width) * Double(height)
    }
}

extension QualityLimitationReason {
    /// An engine's reason; other words than the specification's are `other`, a missing one is `nil`.
    fileprivate init?(_ reason: OutboundRTPStats.QualityLimitationReason?) {
        guard let reason else { return nil }
        self =
            switch reason {
            case .notLimited: .none
            case .bandwidth: .bandwidth
            case .cpu: .cpu
            default: .other
            }
    }

    /// Order of importance where several apply.
    var weight: Int {
        switch self {
        case .bandwidth: 6
        case .cpu: 5
        case .other: 4
        case .codec: 3
        case .resolution: 2
        case .layerChange: 1
        case .none: 0
        }
    }
}
