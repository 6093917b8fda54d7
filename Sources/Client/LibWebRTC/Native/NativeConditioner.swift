// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CLinkModel

/// An emulated network.
final class NativeConditioner {
    let raw: OpaquePointer

    init(seed: UInt64) {
        raw = sl_conditioner_create(seed)
    }

    deinit { sl_conditioner_destroy(raw) }

    func set(_ settings: sl_link_settings, direction: Int) {
        var settings = settings
        sl_conditioner_set(raw, Int32(direction), &settings)
    }

    func counters(direction: Int) -> sl_link_counters {
        sl_conditioner_counters(raw, Int32(direction))
    }
}

// Sendable because the C ABI guards a conditioner with a lock and `raw` never changes.
extension NativeConditioner: @unchecked Sendable {}
