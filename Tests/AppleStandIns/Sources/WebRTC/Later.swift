// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

// What goes through it is used by one thread after the other.
struct Later<Value>: @unchecked Sendable {
    let value: Value

    /// Calls on another thread, as the framework does.
    static func call(_ value: Value, _ body: @escaping (Value) -> Void) {
        let both = Later<(Value, (Value) -> Void)>(value: (value, body))
        DispatchQueue.global().async { both.value.1(both.value.0) }
    }
}
