// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterWire
import SessionWire

/// The filling of one client's network.
struct Saturation: Sendable {
    var session: String
    /// bps.
    var bitrate: Double
    /// When the router ends it by itself.
    var end: Duration
}

// MARK: - Network tests

extension ServerCore {
    /// Times that one subscription's network may be filled: a test needs two or three.
    private static let saturationLimit = 10
    /// How long the router fills a network at most.
    private static let longestSaturation: Duration = .seconds(3)

    mutating func saturate(
        _ request: ClientMessage.Saturate, id: Int, from socket: SocketID
    ) throws(ServerError) {
        let slot = try slot(of: request.leg, .subscriber, from: socket)
        guard let place = slots[slot], place.testsNetwork else {
            throw ServerError(.forbidden, "only a subscription that tests the network can be saturated")
        }
        guard let leg = place.current, legs[leg]?.phase == .up else {
            throw ServerError(.unknownLeg, "the other end of the leg is gone")
        }
        guard place.saturations < Self.saturationLimit else {
            throw ServerError(
                .tooMany, "a subscription can be saturated \(Self.saturationLimit) times")
        }
        try checkSaturation(request.bitrate, of: leg, in: place.session)
        slots[slot]?.saturations += 1
        saturations[leg] = Saturation(
            session: place.session, bitrate: request.bitrate, end: now.elapsed + Self.longestSaturation)
        ask(.saturate(LegSaturation(leg: leg.name, bitrate: request.bitrate)))
        answer(socket, id, .done)
    }

    /// Whether the server has so much to spare.
    private mutating func checkSaturation(
        _ bitrate: Double, of leg: LegID, in session: String
    ) throws(ServerError) {
        let elapsed = now.elapsed
        saturations = saturations.filter { $0.value.end > elapsed }
        let others = saturations.filter { $0.key != leg }.values
        let ofSession = others.filter { $0.session == session }.reduce(bitrate) { $0 + $1.bitrate }
        let ofAll = others.reduce(bitrate) { $0 + $1.bitrate }
        guard ofSession <= limits.saturationPerSession, ofAll <= limits.saturation else {
            throw ServerError(
                .tooMany, "too many network tests run at once; try again in a few seconds")
        }
    }
}
