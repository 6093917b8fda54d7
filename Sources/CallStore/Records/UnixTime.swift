// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Int64 {
    /// Unix ms as the store has them: whole, and within what JSON's numbers can hold.
    init(unixTime: Double) {
        let limit = 9e15
        self = unixTime.isNaN ? 0 : Int64(Swift.min(limit, Swift.max(-limit, unixTime)).rounded())
    }
}
