// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Decides how many temporal layers of a stream one subscription is sent.
///
/// Pure. Two things ask for fewer frames: the subscriber, who prefers a lower frame rate, and the network,
/// when of the smallest layer only half of the frames fit. Fewer than that would be a slide show, which audio
/// fallback replaces.
package struct FrameThinning: Sendable {
    package let configuration: LayerPolicyConfiguration

    /// The network asks for half of the frames.
    private(set) var isHalved = false
    /// Start of the time in which all of them would fit again.
    private var fitsSince: Duration?

    package init(configuration: LayerPolicyConfiguration) {
        self.configuration = configuration
    }

    /// The layer as the subscriber wants it: its steps end with the one nearest below `frameRate`.
    package static func limit(_ layer: ObservedLayer, to frameRate: Double?) -> ObservedLayer {
        guard let frameRate, layer.steps.count > 1 else { return layer }
        // Measured rates are never exact: a little more than the preferred rate is the preferred rate.
        let highest = layer.steps.lastIndex { $0.frameRate <= frameRate * 1.1 } ?? 0
        var limited = layer
        limited.steps = Array(layer.steps.prefix(highest + 1))
        limited.bitrate = layer.steps[highest].bitrate
        limited.frameRate = layer.steps[highest].frameRate
        return limited
    }

    /// The layer with half of its frames; `nil` if its sender's frames depend too much on each other.
    package static func halved(_ layer: ObservedLayer) -> ObservedLayer? {
        guard layer.steps.count > 1, let full = layer.steps.last else { return nil }
        // Half, and a little more: rates are counted over two seconds.
        guard let half = layer.steps.lastIndex(where: { $0.frameRate <= full.frameRate * 0.6 }),
            layer.steps[half].frameRate >= full.frameRate * 0.4
        else { return nil }
        var halved = layer
        halved.steps = Array(layer.steps.prefix(half + 1))
        halved.bitrate = layer.steps[half].bitrate
        halved.frameRate = layer.steps[half].frameRate
        return halved
    }

    /// Decides at `now` whether of `smallest` only half is sent.
    ///
    /// - Parameters:
    ///   - allocated: What there is for the video, bps.
    ///   - isSent: The layer is the one that is sent.
    package mutating func handle(smallest: ObservedLayer?, allocated: Double?, isSent: Bool, at now: Duration)
    {
        guard let smallest, Self.halved(smallest) != nil else {
            isHalved = false
            fitsSince = nil
            return
        }
        guard let bitrate = smallest.bitrate, let allocated else { return }
        if !isHalved {
            isHalved = isSent && bitrate > allocated
            fitsSince = nil
            return
        }
        guard bitrate * (1 + configuration.spare) <= allocated else {
            fitsSince = nil
            return
        }
        let since = fitsSince ?? now
        fitsSince = since
        if now - since >= configuration.rise { isHalved = false }
    }
}
