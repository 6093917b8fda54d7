// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CLinkModel
import LinkEmulation
import MediaEngine

/// An emulated network between libwebrtc and its sockets.
final class LibWebRTCConditioner: NetworkConditioner {
    let native: NativeConditioner

    init(seed: UInt64) {
        native = NativeConditioner(seed: seed)
    }

    func set(_ conditions: NetworkConditions) {
        for direction in NetworkConditions.Direction.allCases {
            native.set(sl_link_settings(conditions[direction]), direction: direction.raw)
        }
    }

    func counters(_ direction: NetworkConditions.Direction) -> NetworkCounters {
        NetworkCounters(native.counters(direction: direction.raw))
    }
}

extension NetworkConditions.Direction {
    fileprivate var raw: Int { self == .up ? SL_UP : SL_DOWN }
}
