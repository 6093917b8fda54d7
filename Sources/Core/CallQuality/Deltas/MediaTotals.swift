// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What several streams of packets carried together in one tick.
struct MediaTotals: Sendable {
    private var bytes: UInt64?
    private var headerBytes: UInt64 = 0
    private var retransmittedBytes: UInt64 = 0
    private(set) var frames: UInt64?
    private var seconds: Double?

    /// Whether payload moved; `nil` if no stream reported its bytes since another report.
    var moved: Bool? { seconds == nil ? nil : bytes.map { $0 > 0 } }

    /// Media bits per second, without RTP headers and retransmissions.
    var bitrate: Double? {
        bytes.flatMap { rate(of: $0 - min($0, retransmittedBytes), bits: 8)?.rounded() }
    }

    /// Bits per second, with RTP headers and retransmissions.
    var totalBitrate: Double? {
        bytes.flatMap { rate(of: $0.addingSaturated(headerBytes), bits: 8)?.rounded() }
    }

    /// Frames per second.
    var frameRate: Double? { frames.flatMap { rate(of: $0, bits: 1) } }

    /// Adds a sent stream.
    mutating func add(_ tick: borrowing OutboundDelta) {
        add(tick.bytes, tick.headerBytes, tick.retransmittedBytes, tick.frames)
    }

    /// Adds a received stream.
    mutating func add(_ tick: borrowing InboundDelta) {
        add(tick.bytes, tick.headerBytes, tick.retransmittedBytes, tick.frames)
    }

    private mutating func add(
        _ payload: Increment?, _ headers: Increment?, _ repairs: Increment?, _ pictures: Increment?
    ) {
        if let payload {
            bytes = (bytes ?? 0).addingSaturated(payload.amount)
        }
        headerBytes = headerBytes.addingSaturated(headers?.amount ?? 0)
        retransmittedBytes = retransmittedBytes.addingSaturated(repairs?.amount ?? 0)
        if let pictures {
            frames = (frames ?? 0).addingSaturated(pictures.amount)
        }
        // After a gap the increments of all counters span it; the longest time is theirs.
        if let time = payload?.seconds ?? pictures?.seconds {
            seconds = max(seconds ?? 0, time)
        }
    }

    private func rate(of amount: UInt64, bits: Double) -> Double? {
        guard let seconds, seconds > 0 else { return nil }
        return Double(amount) * bits / seconds
    }
}
