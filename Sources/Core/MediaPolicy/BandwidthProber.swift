// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Decides when one leg is probed for more than its estimate says, and at which rate.
///
/// Pure. Congestion control probes by itself only while it sends much less than it might, and not soon. A
/// probe is a burst of some 15 ms, so it may be repeated where bandwidth is wanted and not known to be there.
package struct BandwidthProber: Sendable {
    package let configuration: LayerPolicyConfiguration

    /// When the next probe is due; `nil` while there is nothing to probe for.
    private var due: Duration?
    private var wait: Duration
    /// How many steps the estimate covered when `due` was set.
    private var covered = 0
    private var wasBandwidthLimited = false

    package init(configuration: LayerPolicyConfiguration) {
        self.configuration = configuration
        wait = configuration.probeWait
    }

    /// The rate to probe at now, bps; `nil` for no probe.
    ///
    /// - Parameters:
    ///   - steps: What the leg would have to carry for each next larger thing that is wanted, bps, ascending.
    ///   - isBandwidthLimited: Not even the least is carried.
    package mutating func handle(
        steps: [Double], isBandwidthLimited: Bool, estimate: Double?, at now: Duration
    )
        -> Double?
    {
        guard let estimate, let next = steps.firstIndex(where: { $0 > estimate }) else {
            due = nil
            return nil
        }
        let first = isBandwidthLimited ? configuration.firstShortProbe : configuration.probeWait
        if due != nil, next > covered {
            // The last probe helped: the next step follows at once.
            wait = first
            due = now + configuration.firstShortProbe
        } else if due == nil || isBandwidthLimited != wasBandwidthLimited {
            wait = first
            due = now + first
        }
        covered = next
        wasBandwidthLimited = isBandwidthLimited
        guard let due, now >= due else { return nil }
        self.due = now + wait
        let longest =
            isBandwidthLimited ? configuration.longestShortProbeWait : configuration.longestProbeWait
        wait = min(wait * 2, longest)
        return steps[next] * configuration.probeMargin
    }
}
