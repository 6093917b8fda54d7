// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// The engine's threads and factories.
final class NativeEngine {
    let raw: OpaquePointer

    init() throws(NativeError) {
        raw = try make { sl_engine_create($0) }
    }

    deinit { sl_engine_destroy(raw) }
}

// Sendable because the C ABI takes calls from any thread and `raw` never changes.
extension NativeEngine: @unchecked Sendable {}
