// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Chooses the layer that one subscription is sent.
///
/// Pure: time comes in, the decision goes out.
///
/// A pass-through stream cannot be made smaller to fit the network: nothing protects a subscriber's link but
/// the choice of a layer. So it goes down at once, and first stops the old layer, whose backlog is what fills
/// the queue; and it goes up only when a larger layer has fitted for a while, the longer the more often that
/// failed. The smallest layer always continues: whether video is withheld or switched off is not decided
/// here.
package struct LayerPolicy: Sendable {
    package let configuration: LayerPolicyConfiguration

    private var target: LayerID?
    /// Start of the time in which the sent layer exceeds the estimate.
    private var excessSince: Duration?
    /// Start of the time in which the same or a larger layer than the target would fit.
    private var fitsSince: Duration?
    private var lastRise: Duration?
    private var riseWait: Duration
    private var preference = LayerPreference()

    /// A policy for a new subscription.
    package init(configuration: LayerPolicyConfiguration = .init()) {
        self.configuration = configuration
        riseWait = configuration.firstRise
    }

    /// Decides at `now`, which must not go backwards.
    package mutating func handle(_ input: LayerPolicyInput, at now: Duration) -> LayerDecision {
        guard input.preference.isVideoOn else { return turnOff() }
        notePreference(input.preference)
        // Layers that never sent count only while none did: then they tell nothing apart.
        let known = input.layers.filter(\.hasSent)
        let allowed = input.preference.allowed(of: known)
        guard let wanted = allowed.last else {
            return decide(nil, input: input, wanted: nil, stopsFirst: false)
        }
        let present = allowed.filter(\.isPresent)
        let choices = present.isEmpty ? known.filter(\.isPresent) : present
        guard !choices.isEmpty else {
            return decide(target, input: input, wanted: wanted.id, stopsFirst: false)
        }
        guard let current = choices.firstIndex(where: { $0.id == target }) else {
            return begin(with: choices, input: input, wanted: wanted.id)
        }
        if let lower = fall(from: current, in: choices, input: input, at: now) {
            return decide(choices[lower].id, input: input, wanted: wanted.id, stopsFirst: true)
        }
        if let higher = rise(from: current, in: choices, input: input, at: now) {
            return decide(choices[higher].id, input: input, wanted: wanted.id, stopsFirst: false)
        }
        return decide(target, input: input, wanted: wanted.id, stopsFirst: false)
    }

    /// A new preference is tried at once, unless it has failed before.
    private mutating func notePreference(_ new: LayerPreference) {
        guard new != preference else { return }
        preference = new
        if riseWait == configuration.rise { riseWait = configuration.firstRise }
    }

    /// Nothing is wanted.
    package mutating func turnOff() -> LayerDecision {
        self = LayerPolicy(configuration: configuration)
        return LayerDecision(target: nil, stopsFirst: true, wanted: nil, reason: .off)
    }

    /// Nothing may be sent, though something is wanted.
    package mutating func pause(_ input: LayerPolicyInput, reason: LayerReason) -> LayerDecision {
        self = LayerPolicy(configuration: configuration)
        let wanted = input.preference.allowed(of: input.layers.filter(\.hasSent)).last
        return LayerDecision(target: nil, stopsFirst: true, wanted: wanted?.id, reason: reason)
    }

    /// The first layer of a leg, or the next one after the target went away.
    private mutating func begin(
        with choices: [ObservedLayer], input: LayerPolicyInput, wanted: LayerID
    ) -> LayerDecision {
        excessSince = nil
        fitsSince = nil
        let start = configuration.startBitrate - configuration.audioBitrate
        let budget = (input.allocated ?? start) / (1 + configuration.spare)
        let best = choices.lastIndex { layer in layer.expectedBitrate.map { $0 <= budget } ?? false } ?? 0
        return decide(choices[best].id, input: input, wanted: wanted, stopsFirst: false)
    }

    /// The layer to go down to, if the sent one has to go.
    private mutating func fall(
        from current: Int, in choices: [ObservedLayer], input: LayerPolicyInput, at now: Duration
    ) -> Int? {
        // While a larger layer is awaited, the smaller one that is still sent is what loads the link.
        let loading = choices.firstIndex { $0.id == input.sent } ?? current
        guard let allocated = input.allocated, let bitrate = choices[loading].bitrate, bitrate > allocated
        else {
            excessSince = nil
            return nil
        }
        let since = excessSince ?? now
        excessSince = since
        let isGross = bitrate > allocated * (1 + configuration.grossExcess)
        guard isGross || now - since >= configuration.downswitchDelay else { return nil }
        let budget =
            allocated * (isGross ? configuration.shareInFreeFall : configuration.shareAfterFall)
        let fitting =
            choices[..<max(current, loading)].lastIndex { layer in
                layer.expectedBitrate.map { $0 <= budget } ?? false
            } ?? 0
        guard fitting < current else { return nil }
        if let lastRise, now - lastRise < configuration.probation {
            riseWait = min(max(riseWait, configuration.rise) * 2, configuration.longestRise)
        } else {
            riseWait = configuration.rise
        }
        lastRise = nil
        excessSince = nil
        fitsSince = nil
        return fitting
    }

    /// The layer to go up to, if a larger one has fitted for long enough.
    private mutating func rise(
        from current: Int, in choices: [ObservedLayer], input: LayerPolicyInput, at now: Duration
    ) -> Int? {
        if let lastRise, now - lastRise >= configuration.probation {
            // The last rise held: the next one need not be afraid.
            self.lastRise = nil
            riseWait = configuration.rise
        }
        guard let allocated = input.allocated, input.sent == choices[current].id,
            let fitting = choices.lastIndex(where: { layer in
                layer.bitrate.map { $0 * (1 + configuration.spare) <= allocated } ?? false
            }), fitting > current
        else {
            fitsSince = nil
            return nil
        }
        let since = fitsSince ?? now
        fitsSince = since
        guard now - since >= riseWait else { return nil }
        lastRise = now
        fitsSince = nil
        return fitting
    }

    private mutating func decide(
        _ next: LayerID?, input: LayerPolicyInput, wanted: LayerID?, stopsFirst: Bool
    ) -> LayerDecision {
        target = next
        return LayerDecision(
            target: next, stopsFirst: stopsFirst, wanted: wanted,
            reason: Self.reason(target: next, wanted: wanted, input: input))
    }

    private static func reason(target: LayerID?, wanted: LayerID?, input: LayerPolicyInput)
        -> LayerReason
    {
        guard let target, let wanted else { return .layerAbsent }
        if input.allocated == 0 { return .bandwidth }
        let layer = { (id: LayerID) in input.layers.first { $0.id == id } }
        // A publisher that sends nothing at all has no layer that a larger link could help to.
        guard let wantedLayer = layer(wanted), let targetLayer = layer(target), targetLayer.isArriving else {
            return .layerAbsent
        }
        if target != wanted { return wantedLayer.isPresent ? .bandwidth : .layerAbsent }
        guard input.sent == target else { return .waitingForKeyFrame }
        // The smallest layer continues when it does not fit; that it does not is still the reason for what
        // one sees.
        if let bitrate = targetLayer.bitrate, let allocated = input.allocated, bitrate > allocated {
            return .bandwidth
        }
        return .wanted
    }
}

extension LayerPreference {
    /// The layers of `layers` (small to large) that are within the bounds; the smallest if none is.
    package func allowed(of layers: [ObservedLayer]) -> [ObservedLayer] {
        let allowed = layers.filter { layer in
            (maximumWidth.map { (layer.width ?? 0) <= $0 } ?? true)
                && (maximumHeight.map { (layer.height ?? 0) <= $0 } ?? true)
        }
        return allowed.isEmpty ? Array(layers.prefix(1)) : allowed
    }
}
