// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterProtocol
import SessionProtocol

// MARK: - Network tests

extension ServerCore {
    /// Times that one subscription's network may be filled: a test needs two or three.
    private static let saturationLimit = 10

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
        slots[slot]?.saturations += 1
        ask(.saturate(LegSaturation(leg: leg.name, bitrate: request.bitrate)))
        answer(socket, id, .done)
    }
}
