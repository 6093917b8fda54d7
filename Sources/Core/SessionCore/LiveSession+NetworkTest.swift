// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire

// MARK: - Network tests

extension LiveSession {
    /// Times that one subscription's network may be filled: a test needs two or three.
    private static let saturationLimit = 10
    /// How long the router fills a network at most.
    private static let longestSaturation: Duration = .seconds(3)

    mutating func saturate(
        _ request: ClientMessage.Saturate, id: Int, _ member: Identity
    ) throws(ServerError) {
        let endpoint = try endpoint(of: request.leg, .subscriber, member)
        guard endpoint.testsNetwork, let subscription = endpoint.subscription else {
            throw ServerError(.forbidden, "only a subscription that tests the network can be saturated")
        }
        guard let leg = currentLeg(of: endpoint), leg.phase == .up else {
            throw ServerError(.unknownLeg, "the other end of the leg is gone")
        }
        guard subscription.saturations < Self.saturationLimit else {
            throw ServerError(.tooMany, "a subscription can be saturated \(Self.saturationLimit) times")
        }
        try saturate(leg.id, request.bitrate)
        endpoints.changeSubscription(of: endpoint.id) { $0.saturations += 1 }
        ask(.saturate(LegSaturation(leg: leg.id.name, bitrate: request.bitrate)))
        answer(member.client, id, .done)
    }

    /// Has a client's network filled, if the session and the server have so much to spare.
    private mutating func saturate(_ leg: LegID, _ bitrate: Double) throws(ServerError) {
        let elapsed = now.elapsed
        saturations = saturations.filter { $0.value.end > elapsed }
        // A leg's next one takes the place of its last.
        let own = saturations[leg]?.bitrate ?? 0
        let ofSession = saturations.values.reduce(bitrate - own) { $0 + $1.bitrate }
        guard ofSession <= limits.saturationPerSession, bitrate - own <= surroundings.spareSaturation else {
            throw ServerError(.tooMany, "too many network tests run at once; try again in a few seconds")
        }
        let saturation = Saturation(bitrate: bitrate, end: elapsed + Self.longestSaturation)
        saturations[leg] = saturation
        add(.saturate(leg, saturation))
    }
}
