// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension RemoteMetrics {
    /// The publisher's uplink: what it says itself, else what the router sees of it.
    ///
    /// An outage of the uplink takes the publisher's telemetry with it, and its last good figures would stand
    /// until they are too old; so the router's report counts at once when nothing arrives.
    package func publisherUplink(youngerThan limit: Double) -> TransportStats? {
        let own = publisher?.value(youngerThan: limit)?.transport
        guard let seen = uplink?.value(youngerThan: limit), seen.networkCondition != .unknown else {
            return own
        }
        guard let own, own.networkCondition != .unknown else { return seen }
        return seen.networkConditionReason == .connection ? seen : own
    }
}
