// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CLinkModel
import LinkEmulation
import NetworkEmulation

/// The emulated network of one client's legs, at the router's end of its path.
///
/// Any thread may use it.
final class EmulatedNetwork {
    let raw: OpaquePointer

    /// A perfect network, which loses other packets than every other one.
    init() {
        raw = sl_conditioner_create(.random(in: .min ... .max))
    }

    deinit { sl_conditioner_destroy(raw) }

    func set(_ conditions: NetworkConditions) {
        for direction in NetworkConditions.Direction.allCases {
            var settings = sl_link_settings(conditions[direction])
            sl_conditioner_set(raw, direction.raw, &settings)
        }
    }

    func counters(_ direction: NetworkConditions.Direction) -> NetworkCounters {
        NetworkCounters(sl_conditioner_counters(raw, direction.raw))
    }
}

extension NetworkConditions.Direction {
    fileprivate var raw: Int32 { Int32(self == .up ? SL_UP : SL_DOWN) }
}

// Sendable because the C ABI guards a conditioner with a lock and `raw` never changes.
extension EmulatedNetwork: @unchecked Sendable {}
