// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterProtocol

/// Decides what one subscription is sent: which layer, or no video at all.
///
/// Pure: time comes in, the decision goes out.
///
/// When not even the smallest layer fits by far, its frames are withheld at once: what does not fit would only
/// fill the network's queue, and the audio has to go through the same one. Audio fallback then decides whether
/// video is switched off. Without fallback the smallest layer always goes on.
struct MediaPolicy: Sendable {
    let configuration: LayerPolicyConfiguration

    private var layers: LayerPolicy
    /// `nil`: video never gives way.
    private var fallback: AudioFallback?
    private var isWithheld = false
    /// Since when the smallest layer is grossly too large, or, while it is withheld, since when it fits.
    private var withholdSince: Duration?
    /// When the next probe is due; `nil` while the estimate is not short.
    private var probeDue: Duration?

    /// A policy for a new subscription.
    init(configuration: LayerPolicyConfiguration = .init(), audioFallback: AudioFallbackRules? = nil) {
        self.configuration = configuration
        layers = LayerPolicy(configuration: configuration)
        fallback = audioFallback.map(AudioFallback.init)
    }

    /// Decides at `now`, which must not go backwards.
    mutating func handle(_ input: LayerPolicyInput, at now: Duration) -> LayerDecision {
        guard input.preference.isVideoOn else {
            fallback?.rest()
            resume()
            return layers.turnOff()
        }
        var input = input
        // What is allotted stands still while nothing is sent.
        if input.sent == nil, let room = room(input) { input.allocated = room }
        let smallest = input.layers.first { $0.isPresent && $0.hasSent }
        let needed = smallest.flatMap(needed)
        fallback?.handle(estimate: input.estimated, needed: needed, at: now)
        var decision = choose(input, smallest: smallest, at: now)
        decision.fallback = fallback?.state ?? .on
        decision.probe = probe(input, at: now) ?? decision.probe
        return decision
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
        probeDue = nil
    }

    /// What the leg has to carry for a layer to fit, bps.
    private func needed(_ layer: ObservedLayer) -> Double? {
        layer.expectedBitrate.map { $0 * configuration.overhead + configuration.audioBitrate }
    }

    /// What the estimate leaves for the frames of the video, bps.
    private func room(_ input: LayerPolicyInput) -> Double? {
        input.estimated.map { max(0, $0 - configuration.audioBitrate) / configuration.overhead }
    }

    /// Begins or ends to withhold the smallest layer.
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

    /// The rate to probe at while the estimate is short: what the smallest layer needs, and, as long as video is
    /// off, step by step what the larger ones do.
    private mutating func probe(_ input: LayerPolicyInput, at now: Duration) -> Double? {
        let isOff = fallback?.state == .off
        let present = input.layers.filter { $0.isPresent && $0.hasSent }
        let spare = 1 + max(fallback?.rules.spare ?? 0, configuration.spare)
        let steps = present.compactMap(needed).prefix(isOff ? present.count : 1)
        guard fallback != nil, let estimated = input.estimated,
            let goal = steps.first(where: { $0 * (isOff ? spare : 1) > estimated })
        else {
            probeDue = nil
            return nil
        }
        let due = probeDue ?? now + configuration.firstShortProbe
        probeDue = due
        guard now >= due else { return nil }
        probeDue = now + configuration.shortProbeInterval
        return goal * spare * configuration.shortProbeMargin
    }
}
