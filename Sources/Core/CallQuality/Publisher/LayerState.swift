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
    /// - Returns: The figures, and what changed since the tick before.
    mutating func figures(
        _ report: borrowing StatsReport, isVideoWanted: Bool, _ tick: Tick
    ) -> (stats: PublisherVideoLayerStats, change: QualityLimitationReason?) {
        var stats = PublisherVideoLayerStats()
        if case .rid(let rid) = key { stats.rid = rid }
        stats.scalabilityMode = intent?.scalabilityMode
        stats.enabled = intent?.enabled
        if let index = sum.entry {
            describe(report.outboundRTP[index], report, &stats)
        }
        if !isVideoWanted { stats.enabled = false }
        stats.bitrate = sum.flow.bitrate
        stats.totalBitrate = sum.flow.totalBitrate
        stats.sending = isSending(tick)
        if stats.sending == false { stats.encodedFrameRate = sum.flow.frames == nil ? nil : 0 }
        return (stats, change(to: stats))
    }

    private func describe(
        _ entry: borrowing OutboundRTPStats, _ report: borrowing StatsReport,
        _ stats: inout PublisherVideoLayerStats
    ) {
        stats.width = entry.frameWidth.map { Int(clamping: $0) }
        stats.height = entry.frameHeight.map { Int(clamping: $0) }
        stats.scalabilityMode = entry.scalabilityMode ?? stats.scalabilityMode
        stats.enabled = stats.enabled ?? entry.active
        stats.codec = report.codecName(id: entry.codecId)
        // Encoders of spatial layers count a frame once per layer.
        let isSpatial = stats.scalabilityMode.map { !$0.hasPrefix("L1") } ?? false
        let counted = isSpatial ? nil : sum.flow.frameRate
        stats.encodedFrameRate = counted ?? entry.framesPerSecond?.ifSane
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

    private mutating func change(to stats: PublisherVideoLayerStats) -> QualityLimitationReason? {
        var change: QualityLimitationReason?
        if let sending = stats.sending {
            if let wasSending, wasSending != sending { change = .layerChange }
            wasSending = sending
        }
        if let width = stats.width, let height = stats.height {
            let new = VideoSize(width: width, height: height)
            if let size, size != new { change = .resolution }
            size = new
        }
        if let name = stats.codec {
            if let codec, codec != name { change = .codec }
            codec = name
        }
        return change
    }
}
