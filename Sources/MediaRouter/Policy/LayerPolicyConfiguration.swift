// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The numbers of the media policy.
struct LayerPolicyConfiguration: Equatable, Sendable {
    /// How often each leg is decided anew.
    var interval: Duration = .milliseconds(100)
    /// The estimate has to exceed a layer's bitrate by this share before the layer is chosen.
    var spare = 0.15
    /// When a layer has to go, the next one may use this share of the estimate.
    ///
    /// An estimate that has just fallen tends to fall on; when the excess is gross, the fall has only begun.
    var shareAfterFall = 0.85
    var shareInFreeFall = 0.5
    /// A layer above the estimate goes after this time; at once when it exceeds it by more than `grossExcess`.
    var patience: Duration = .milliseconds(200)
    var grossExcess = 0.25
    /// How long a larger layer has to fit before it is chosen: at the start of a leg, and later.
    var firstRise: Duration = .milliseconds(300)
    var rise: Duration = .seconds(2)
    /// A rise that had to be taken back within this time doubles the wait for the next one, up to `longestRise`.
    var probation: Duration = .seconds(8)
    var longestRise: Duration = .seconds(30)
    /// How long a leg that is below what it wants waits before it probes for the next larger layer.
    ///
    /// Each probe doubles the wait, up to `longestProbeWait`. Sooner would do harm: after a fall the queue in the
    /// network has to drain first, and a probe into it makes congestion control give up still more.
    var probeWait: Duration = .seconds(6)
    var longestProbeWait: Duration = .seconds(30)
    /// No probe while the allotment exceeds what is sent by this factor: congestion control then probes on its own.
    var selfProbingFactor = 1.7
    /// A probe tries this multiple of what the next larger layer needs, and room for audio and headers, bps.
    var probeFactor = 2.0
    var probeMargin = 100_000.0
    /// The smallest layer is withheld when it exceeds the estimate by more than `grossExcess` for this time.
    var withholdAfter: Duration = .seconds(1)
    /// While the estimate does not carry the smallest layer and the audio, a probe goes out so often, the first
    /// one after this time, the next ones after `shortProbeInterval`.
    ///
    /// An estimate may be short only because little was sent when it fell: the first probe sets it right before
    /// anything is withheld. Probes try somewhat more than is to be shown: they measure less than they send.
    var firstShortProbe: Duration = .milliseconds(400)
    var shortProbeInterval: Duration = .seconds(2)
    var shortProbeMargin = 1.2
    /// What a leg is believed to carry before congestion control has said anything, bps.
    var startBitrate = 600_000.0
    /// What audio takes of an estimate, with its headers, bps.
    var audioBitrate = 40_000.0
    /// What video takes of an estimate for each bit of its frames, with headers.
    var overhead = 1.08
}
