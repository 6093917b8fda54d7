// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Counters of one layer, read at one moment.
package struct LayerCounters: Equatable, Sendable {
    package var id: LayerID
    package var rid: String?
    package var width: Int?
    package var height: Int?
    package var frames: UInt64
    package var bytes: UInt64
    /// `nil` before the first frame.
    package var sinceLastFrame: Duration?
    /// The same counters for each temporal layer; empty or one where the sender has none.
    package var temporal: [Amount] = []

    /// Temporal layers that an engine distinguishes.
    package static let temporalLayers = 4

    package init(
        id: LayerID, rid: String?, width: Int?, height: Int?, frames: UInt64, bytes: UInt64,
        sinceLastFrame: Duration?, temporal: [Amount] = []
    ) {
        self.id = id
        self.rid = rid
        self.width = width
        self.height = height
        self.frames = frames
        self.bytes = bytes
        self.sinceLastFrame = sinceLastFrame
        self.temporal = temporal
    }

    /// Frames and their bytes.
    package struct Amount: Equatable, Sendable {
        var frames: UInt64
        var bytes: UInt64

        package init(frames: UInt64, bytes: UInt64) {
            self.frames = frames
            self.bytes = bytes
        }
    }
}

/// Turns a stream's layer counters into observed layers: rates, presence, order.
///
/// Pure: time comes in.
package struct LayerMeter: Sendable {
    /// Rates are means over this time: long enough that one key frame does not look like another bitrate.
    package static let window: Duration = .seconds(2)
    /// Less time than this gives no rate.
    package static let shortestWindow: Duration = .milliseconds(400)
    /// A layer is silent after this time without a frame, or after four of its own frame intervals if that is
    /// longer.
    package static let silence: Duration = .seconds(1)
    package static let silenceInIntervals = 4.0

    private struct Reading {
        var time: Duration
        var frames: UInt64
        var bytes: UInt64
        var temporal: [LayerCounters.Amount]
    }

    private var readings: [LayerID: [Reading]] = [:]

    package init() {}

    /// Handles the stream's counters at `now`.
    ///
    /// Returns the layers from small to large: by size where it is known of all of them, else in the order of
    /// `counters`.
    package mutating func handle(_ counters: [LayerCounters], at now: Duration) -> [ObservedLayer] {
        let ids = Set(counters.map(\.id))
        readings = readings.filter { ids.contains($0.key) }
        for layer in counters {
            remember(layer, at: now)
        }
        let rates = counters.map { rate(of: $0.id) }
        let isFresh = counters.map { self.isFresh($0) }
        let anyFresh = isFresh.contains(true)
        let layers = counters.indices.map { index in
            let layer = counters[index]
            return ObservedLayer(
                id: layer.id, rid: layer.rid, width: layer.width, height: layer.height,
                bitrate: rates[index]?.bits, frameRate: rates[index]?.frames,
                isArriving: isFresh[index], isPresent: layer.frames > 0 && (isFresh[index] || !anyFresh),
                hasSent: layer.frames > 0, steps: steps(of: layer.id))
        }
        return Self.ordered(layers)
    }

    private mutating func remember(_ layer: LayerCounters, at now: Duration) {
        var history = readings[layer.id] ?? []
        history.append(
            Reading(time: now, frames: layer.frames, bytes: layer.bytes, temporal: layer.temporal))
        // The last reading outside the window is its beginning.
        while history.count > 1, history[1].time <= now - Self.window {
            history.removeFirst()
        }
        readings[layer.id] = history
    }

    /// The first and the last reading to measure by; `nil` before there is enough time between them.
    private func span(of id: LayerID) -> (first: Reading, last: Reading, seconds: Double)? {
        // The clock of a layer starts with its first frame, or a new layer would look slow for two seconds.
        guard let history = readings[id], let last = history.last,
            let first = history.last(where: { $0.frames == 0 }) ?? history.first
        else { return nil }
        let elapsed = last.time - first.time
        guard elapsed >= Self.shortestWindow, last.bytes >= first.bytes, last.frames >= first.frames else {
            return nil
        }
        return (first, last, elapsed.seconds)
    }

    private func rate(of id: LayerID) -> (bits: Double, frames: Double)? {
        guard let (first, last, seconds) = span(of: id) else { return nil }
        return (Double(last.bytes - first.bytes) * 8 / seconds, Double(last.frames - first.frames) / seconds)
    }

    /// Share of a layer up to each of its temporal layers.
    private func steps(of id: LayerID) -> [ObservedLayer.Step] {
        guard let (first, last, seconds) = span(of: id), first.temporal.count == last.temporal.count else {
            return []
        }
        var (bits, frames) = (0.0, 0.0)
        let steps = zip(first.temporal, last.temporal).map { first, last in
            bits += Double(last.bytes) - Double(first.bytes)
            frames += Double(last.frames) - Double(first.frames)
            return ObservedLayer.Step(bitrate: bits * 8 / seconds, frameRate: frames / seconds)
        }
        // Temporal layers that nothing comes of are none.
        let highest = steps.indices.last { $0 == 0 || steps[$0].frameRate > steps[$0 - 1].frameRate }
        return Array(steps.prefix((highest ?? -1) + 1))
    }

    private func isFresh(_ layer: LayerCounters) -> Bool {
        guard let age = layer.sinceLastFrame else { return false }
        guard age > Self.silence else { return true }
        // The pace until the last frame: the silence itself must not make the layer look like a slow one.
        guard let history = readings[layer.id], let first = history.first, let last = history.last,
            last.frames > first.frames, last.time - first.time > age
        else { return false }
        let interval = (last.time - first.time - age) / Double(last.frames - first.frames)
        return age <= interval * Self.silenceInIntervals
    }

    private static func ordered(_ layers: [ObservedLayer]) -> [ObservedLayer] {
        // Layers that never sent have no size and keep their place behind the others.
        let sending = layers.filter(\.hasSent)
        let sizes = sending.compactMap(\.pixels)
        guard sizes.count == sending.count else { return layers }
        let bySize = sending.enumerated().sorted { left, right in
            let (leftSize, rightSize) = (left.element.pixels ?? 0, right.element.pixels ?? 0)
            return leftSize == rightSize ? left.offset < right.offset : leftSize < rightSize
        }
        return bySize.map(\.element) + layers.filter { !$0.hasSent }
    }
}
