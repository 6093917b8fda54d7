// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Hears what a CallMonitor observes.
///
/// Calls come one after the other, never two at a time, where <doc:EventsAndOrder> says; a delegate that takes too long loses the
/// oldest.
public protocol CallMonitorDelegate: AnyObject {
    /// One observation, a tick and role each; the same as in ``CallMonitor/observations()``.
    func callMonitor(_ monitor: CallMonitor, didObserve event: CallMonitorEvent)
}
