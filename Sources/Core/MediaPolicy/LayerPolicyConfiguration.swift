// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The numbers of the media policy.
package struct LayerPolicyConfiguration: Equatable, Sendable {
    /// Interval of each leg's decisions.
    package var interval: Duration = .milliseconds(100)
    /// The estimate has to exceed a layer's bitrate by this share before the layer is chosen.
    package var spare = 0.15
    /// After a downswitch the next layer may use this share of the estimate.
    ///
    /// An estimate that has just fallen tends to fall on; when the excess is gross, the fall has only begun.
    package var shareAfterFall = 0.85
    package var shareInFreeFall = 0.5
    /// A layer above the estimate is dropped after this time; at once when it exceeds it by more than
    /// `grossExcess`.
    package var downswitchDelay: Duration = .milliseconds(200)
    package var grossExcess = 0.25
    /// How long a larger layer has to fit before it is selected: at the start of a leg, and later.
    package var firstRise: Duration = .milliseconds(300)
    package var rise: Duration = .seconds(2)
    /// An upswitch that had to be reverted within this time doubles the wait for the next one, up to
    /// `longestRise`.
    package var probation: Duration = .seconds(8)
    package var longestRise: Duration = .seconds(30)
    /// How long a leg below its preference waits before it probes for the next larger layer.
    ///
    /// Each probe that does not help doubles the wait, up to `longestProbeWait`. Sooner would do harm: after
    /// a fall the queue in the network has to drain first.
    package var probeWait: Duration = .seconds(4)
    package var longestProbeWait: Duration = .seconds(8)
    /// The same while not even the least is carried: the first probes may find that the estimate fell only because little
    /// was sent, or a probe measured less than there is, before anything is withheld or a wait for video begins again.
    package var firstShortProbe: Duration = .milliseconds(400)
    package var longestShortProbeWait: Duration = .seconds(2)
    /// A probe tries this multiple of what is needed: it measures less than it sends.
    package var probeMargin = 1.2
    /// The smallest layer is withheld when it exceeds the estimate by more than `grossExcess` for this time.
    package var withholdAfter: Duration = .seconds(1)
    /// Assumed capacity of a leg before congestion control has an estimate, bps.
    package var startBitrate = 600_000.0
    /// Share of audio in an estimate, with its headers, bps.
    package var audioBitrate = 40_000.0
    /// Overhead factor of video, headers included.
    package var overhead = 1.08

    package init() {}
}
