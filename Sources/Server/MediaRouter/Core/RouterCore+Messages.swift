// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import RouterWire

extension LegFailure {
    init(
        leg: LegName, _ error: RouterEngineError, endsLeg: Bool, answersOffer: Bool? = nil
    ) {
        let code: Code =
            switch error.kind {
            case .malformed: .malformed
            case .unsupported: .unsupported
            case .invalidState: .unknownLeg
            case .closed: .closed
            case .overloaded: .tooMany
            case .internal: .internal
            }
        self.init(
            leg: leg, code: code, message: error.message, endsLeg: endsLeg, answersOffer: answersOffer)
    }
}

extension LayerFigures {
    init(_ layer: ObservedLayer) {
        self.init(
            rid: layer.rid, sending: layer.isArriving, width: layer.width, height: layer.height,
            frameRate: layer.frameRate, bitrate: layer.bitrate)
    }
}
