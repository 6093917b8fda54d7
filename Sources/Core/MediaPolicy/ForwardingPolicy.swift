// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Decides what one subscription is sent: which layer, or no video at all.
///
/// Pure: time comes in, the decision goes out.
///
/// When even the smallest layer is far too large, its frames are withheld at once: what does not fit would
/// only fill the network's queue, and the audio has to go through the same one. Audio fallback then decides
/// whether video is switched off. Without fallback the smallest layer always continues.
package struct ForwardingPolicy: Sendable {
    package let configuration: LayerPolicyConfiguration

    private var layers: LayerPolicy
    private var thinning: FrameThinning
    /// `nil`: video never gives way.
    private var fallback: AudioFallback?
    private var isWithheld = false
    /// Start of the time in which the smallest layer is far too large, or, while it is withheld, in which it
    /// fits.
    private var withholdSince: Duration?
    private var prober: BandwidthProber

    /// A policy for a new subscription.
    package init(configuration: LayerPolicyConfiguration = .init(), audioFallback: AudioFallbackRules? = nil)
    {
        self.configuration = configuration
        layers = LayerPolicy(configuration: configuration)
        thinning = FrameThinning(configuration: configuration)
        prober = BandwidthProber(configuration: configuration)
        fallback = audioFallback.map(AudioFallback.init)
    }

    /// Decides at `now`, which must not go backwards.
    package mutating func handle(_ input: LayerPolicyInput, at now: Duration) -> LayerDecision {
        guard input.preference.isVideoOn else {
            fallback?.rest()
            resume()
            return layers.turnOff()
        }
        var input = input
        // The allocation does not change while nothing is sent.
        if input.sent == nil, let room = room(input) { input.allocated = room }
        input.layers = input.layers.map { FrameThinning.limit($0, to: input.preference.maximumFrameRate) }
        let smallest = thin(&input, at: now)
        let needed = smallest.flatMap(needed)
        fallback?.handle(estimate: input.estimated, needed: needed, at: now)
        var decision = choose(input, smallest: smallest, at: now)
        decision.fallback = fallback?.state ?? .on
        decision.probe = prober.handle(
            steps: steps(input, smallest: smallest),
            isBandwidthLimited: isBandwidthLimited(input, smallest: smallest),
            estimate: input.estimated, at: now)
        let target = input.layers.first { $0.id == decision.target }
        decision.highestTemporalLayer = target.flatMap { $0.steps.isEmpty ? nil : $0.steps.count - 1 }
        if thinning.isHalved, decision.reason == .wanted, decision.target == smallest?.id {
            decision.reason = .bandwidth
        }
        return decision
    }

    /// Replaces the smallest layer by one with half of its frames where no more of it
    /// fits.
    ///
    /// - Returns: The least that can be sent of it.
    private mutating func thin(_ input: inout LayerPolicyInput, at now: Duration) -> ObservedLayer? {
        guard let index = input.layers.firstIndex(where: { $0.isPresent && $0.hasSent }) else { return nil }
        let whole = input.layers[index]
        thinning.handle(
            smallest: whole, allocated: input.allocated, isSent: input.sent == whole.id, at: now)
        guard let half = FrameThinning.halved(whole) else { return whole }
        if thinning.isHalved { input.layers[index] = half }
        return half
    }

    private mutating func choose(
        _ input: LayerPolicyInput, smallest: ObservedLayer?, at now: Duration
    ) -> LayerDecision {
        if fallback?.state == .off {
            withholdSince = nil
            isWithheld = true
            return layers.pause(input, reason: .fallback)
        }
        withhold(input, smallest: smallest, at: now)
        return isWithheld ? layers.pause(input, reason: .bandwidth) : layers.handle(input, at: now)
    }

    private mutating func resume() {
        isWithheld = false
        withholdSince = nil
    }

    /// Required bitrate of the leg for a layer to fit, bps.
    private func needed(_ layer: ObservedLayer) -> Double? {
        layer.expectedBitrate.map { $0 * configuration.overhead + configuration.audioBitrate }
    }

    /// The estimate's remainder for video payload, bps.
    private func room(_ input: LayerPolicyInput) -> Double? {
        input.estimated.map { max(0, $0 - configuration.audioBitrate) / configuration.overhead }
    }

    /// Starts or stops withholding the smallest layer.
    private mutating func withhold(_ input: LayerPolicyInput, smallest: ObservedLayer?, at now: Duration) {
        guard fallback != nil, let smallest, let bitrate = smallest.expectedBitrate, let room = room(input)
        else { return resume() }
        let changes =
            isWithheld
            ? room >= bitrate
            : input.sent == smallest.id && bitrate > room * (1 + configuration.grossExcess)
        guard changes else {
            withholdSince = nil
            return
        }
        let since = withholdSince ?? now
        withholdSince = since
        guard now - since >= (isWithheld ? configuration.firstRise : configuration.withholdAfter) else {
            return
        }
        isWithheld.toggle()
        withholdSince = nil
    }

    /// Whether not even the least is carried; while video is off, with what is to be spare before it returns.
    private func isBandwidthLimited(_ input: LayerPolicyInput, smallest: ObservedLayer?) -> Bool {
        let spare = fallback.map { $0.state == .off ? $0.rules.spare : 0 } ?? 0
        guard let estimated = input.estimated, let needed = smallest.flatMap(needed) else {
            return fallback?.state == .off
        }
        return estimated < needed * (1 + spare)
    }

    /// Required bitrate of the leg for the least that can be sent, and for each wanted layer, bps.
    private func steps(_ input: LayerPolicyInput, smallest: ObservedLayer?) -> [Double] {
        let present = input.layers.filter { $0.isPresent && $0.hasSent }
        let wanted = input.preference.allowed(of: present).compactMap(needed)
        let larger = wanted.map { $0 * (1 + configuration.spare) }
        guard let needed = smallest.flatMap(needed) else { return larger }
        let least = needed * (1 + (fallback?.rules.spare ?? configuration.spare))
        return [least] + larger.filter { $0 > least }
    }
}
