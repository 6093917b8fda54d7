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

extension RemoteMetrics {
    /// Share of the packets that are lost before the server that passes the others on, `0...1`; `nil` if there is none, or
    /// no one knows.
    package func fractionLostBeforeServer(youngerThan limit: Double) -> Double? {
        guard isForwarded == true else { return nil }
        return publisherUplink(youngerThan: limit)?.fractionLost
    }
}
