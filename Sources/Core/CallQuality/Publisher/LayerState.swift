// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What is remembered of one layer, and what the present tick says about it.
struct LayerState: Sendable {
    let key: LayerKey
    /// The layer's configuration; `nil` if no one said it.
    var intent: LayerIntent?
    /// Sums over the layer's streams of packets in this tick.
    var sum = OutboundAggregate()

    /// Pixels of the largest frame that was ever encoded.
    private(set) var largestEncoded = 0.0
    private var size: VideoSize?
    private var codec: String?
    private var wasSending: Bool?
    private var lastMoved: Double?

    init(key: LayerKey) { self.key = key }

    /// Notes the size of what was encoded.
    mutating func noteSize(_ report: borrowing StatsReport) {
        guard let entry = sum.entry, let width = report.outboundRTP[entry].frameWidth,
            let height = report.outboundRTP[entry].frameHeight
        else { return }
        largestEncoded = max(largestEncoded, Double(width) * Double(height))
    }

    /// Makes the tick's sums the layer's figures, all but the limitation reason.
    ///
    /// - Returns: What is observed of it, and what changed since the tick before.
    mutating func observe(
        _ report: borrowing StatsReport, isVideoWanted: Bool, _ tick: Tick
    ) -> (layer: LayerObservation, change: QualityLimitationReason?) {
        var layer = LayerObservation()
        if case .rid(let rid) = key, LayerFigures.isID(rid) { layer.figures.rid = rid }
        layer.scalabilityMode = intent?.scalabilityMode
        layer.figures.enabled = intent?.enabled
        if let index = sum.entry {
            describe(report.outboundRTP[index], report, &layer)
        }
        if !isVideoWanted { layer.figures.enabled = false }
        layer.figures.bitrate = sum.flow.bitrate
        layer.totalBitrate = sum.flow.totalBitrate
        layer.figures.sending = isSending(tick)
        if layer.figures.sending == false { layer.figures.frameRate = sum.flow.frames == nil ? nil : 0 }
        return (layer, change(to: layer))
    }

    private func describe(
        _ entry: borrowing OutboundRTPStats, _ report: borrowing StatsReport,
        _ layer: inout LayerObservation
    ) {
        layer.figures.width = entry.frameWidth.map { Int(clamping: $0) }
        layer.figures.height = entry.frameHeight.map { Int(clamping: $0) }
        layer.scalabilityMode = entry.scalabilityMode ?? layer.scalabilityMode
        layer.figures.enabled = layer.figures.enabled ?? entry.active
        layer.codec = report.codecName(id: entry.codecId)
        // Encoders of spatial layers count a frame once per layer.
        let isSpatial = layer.scalabilityMode.map { !$0.hasPrefix("L1") } ?? false
        let counted = isSpatial ? nil : sum.flow.frameRate
        layer.figures.frameRate = counted ?? entry.framesPerSecond?.ifSane
    }

    /// Whether payload moved.
    ///
    /// Reports that come faster than frames need not show some each time.
    private mutating func isSending(_ tick: Tick) -> Bool? {
        guard let moved = sum.flow.moved else {
            return sum.entry == nil && tick.previous != nil ? false : nil
        }
        if moved { lastMoved = tick.time }
        return moved || (lastMoved.map { tick.time - $0 < 1000 } ?? false)
    }

    private mutating func change(to layer: LayerObservation) -> QualityLimitationReason? {
        var change: QualityLimitationReason?
        if let sending = layer.figures.sending {
            if let wasSending, wasSending != sending { change = .layerChange }
            wasSending = sending
        }
        if let width = layer.figures.width, let height = layer.figures.height {
            let new = VideoSize(width: width, height: height)
            if let size, size != new { change = .resolution }
            size = new
        }
        if let name = layer.codec {
            if let codec, codec != name { change = .codec }
            codec = name
        }
        return change
    }
}
