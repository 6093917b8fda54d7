// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The numbers of the media policy.
package struct LayerPolicyConfiguration: Equatable, Sendable {
    /// How often each leg is decided again.
    package var interval: Duration = .milliseconds(100)
    /// The estimate has to exceed a layer's bitrate by this share before the layer is chosen.
    package var spare = 0.15
    /// When a layer has to go, the next one may use this share of the estimate.
    ///
    /// An estimate that has just fallen tends to fall on; when the excess is gross, the fall has only begun.
    package var shareAfterFall = 0.85
    package var shareInFreeFall = 0.5
    /// A layer above the estimate goes after this time; at once when it exceeds it by more than
    /// `grossExcess`.
    package var patience: Duration = .milliseconds(200)
    package var grossExcess = 0.25
    /// How long a larger layer has to fit before it is chosen: at the start of a leg, and later.
    package var firstRise: Duration = .milliseconds(300)
    package var rise: Duration = .seconds(2)
    /// A rise that had to be taken back within this time doubles the wait for the next one, up to
    /// `longestRise`.
    package var probation: Duration = .seconds(8)
    package var longestRise: Duration = .seconds(30)
    /// How long a leg that is below what it wants waits before it probes for the next larger layer.
    ///
    /// Each probe that does not help doubles the wait, up to `longestProbeWait`. Sooner would do harm: after
    /// a fall the queue in the network has to drain first.
    package var probeWait: Duration = .seconds(4)
    package var longestProbeWait: Duration = .seconds(8)
    /// The same while not even the least is carried: for the first probe, which may find that the estimate
    /// fell only because little was sent, before anything is withheld; and for the next ones.
    package var firstShortProbe: Duration = .milliseconds(400)
    package var shortProbeWait: Duration = .seconds(2)
    /// A probe tries this multiple of what is needed: it measures less than it sends.
    package var probeMargin = 1.2
    /// The smallest layer is withheld when it exceeds the estimate by more than `grossExcess` for this time.
    package var withholdAfter: Duration = .seconds(1)
    /// What a leg is believed to carry before congestion control has said anything, bps.
    package var startBitrate = 600_000.0
    /// What audio takes of an estimate, with its headers, bps.
    package var audioBitrate = 40_000.0
    /// What video takes of an estimate for each bit of its frames, with headers.
    package var overhead = 1.08

    package init() {}
}
